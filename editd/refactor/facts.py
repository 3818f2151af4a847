"""The facts about a buffer that ``intent.evidence`` reads a request with."""

from __future__ import annotations

import re

from editd.intent.evidence import BufferFacts
from editd.intent.word_forms import words_in
from editd.refactor.entries import is_program
from editd.refactor.remove_unused_imports import bound_names
from editd.refactor.rename_selector import selectors_in
from editd.refactor.values import SHELLS, values_of
from editd.syntax.code import Code
from editd.syntax.parameters import parameters_in
from editd.syntax.undeclared import undeclared_names

_SHELL_FUNCTION = re.compile(r"^[ \t]*(?:function )?(\w+) ?\(\)", re.MULTILINE)


def facts_of(code: Code) -> BufferFacts:
    """The facts about a text."""
    blocks = [x for x in code.definitions if x.is_block]
    names = {name for x in blocks for name in (x.name, x.qualified)}
    if code.language in SHELLS:
        names.update(_SHELL_FUNCTION.findall(code.text))
    return BufferFacts(
        code.language,
        definitions=frozenset(names),
        names=code.names,
        undefined=_undefined(code),
        parameters=parameters_in(code),
        words=words_in(code.text),
        imports=_imports(code),
        strings=tuple(code.text[x.start : x.end] for x in code.tokens_of("string")),
        nameable=_nameable(code),
        bodies={x.qualified: words_in("".join(code.lines[x.start : x.end])) for x in blocks},
        text=code.text,
    )


_REQUIRE = re.compile(
    r"^(?:const|let|var) .*\brequire\(([\"'])(?P<module>[^\"']+)\1\)", re.MULTILINE
)


def _imports(code: Code) -> dict[str, tuple[str, ...]]:
    """The names that imports bind, by the words for them: each name itself, and the module for all that it gives."""
    found: dict[str, tuple[str, ...]] = {name: (name,) for name in bound_names(code)}
    statements = [(x.module, x.text) for x in code.imports]
    statements += [(x["module"], x[0]) for x in _REQUIRE.finditer(code.text)]
    for module, text in statements:
        names = tuple(x for x in found if x in re.findall(r"[\w.]+", text) and found[x] == (x,))
        for word in {module, *re.split(r"[./]|::", module)} - {""}:
            if names:
                found.setdefault(word, names)
    return found


def _undefined(code: Code) -> frozenset[str]:
    """The names that the code uses and that nothing in it defines."""
    if code.language == "python":
        return frozenset(code.undefined_names or ())
    return frozenset() if code.tree is None else undeclared_names(code.tree, code.language)


def _nameable(code: Code) -> frozenset[str]:
    """The names of a text that a rename may change: in code names, members, arguments and keys, in data its keys."""
    names = {x.text for x in code.tokens_of("name", "member", "argument", "key")}
    if not is_program(code) or code.language in SHELLS:
        names.update(part for value in values_of(code) for part in value.path)
    return frozenset(names) | selectors_in(code)
