"""Adds the import that a sentence names: as code, by a module and names of it, or by a name that the language's own library gives or that
the buffer uses and nothing defines.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.import_places import import_place_in
from editd.intent.evidence.imports import (
    AGAINST,
    MODULE,
    QUOTE,
    import_in,
    names_in,
    undefined_in,
    written_in,
)
from editd.intent.evidence.imports_by_words import import_by_words, is_a_noun, is_spelled
from editd.intent.intents import AddImportLine, ImportName, Intent, PlacedImport, Several
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates
from editd.syntax.language import SCRIPTS
from editd.syntax.standard_modules import standard_module

_NO_NAME = r"(?!(?:imports?|imported|importing|requires?|required|includes?|included|uses?|using|from|the|it|this|that)\b)"
_TERM = rf"(?<![\w.]){QUOTE}(?P<name>{_NO_NAME}(?:{MODULE})){QUOTE}"
_SAID = r"(?:modul\w*|package|pkg|library|crate|header)"
_TO_BE = (
    r"(?:(?:is|are|was|has|have|must|should|needs?|to|be|been|being|never|not|isn['’]t|also|too) )*"
)
_NAMED = (
    re.compile(
        r"\b(?:import|imports|imported|require|requires|include|includes|use|need|needs|want|add|bring|bring in|pull in|throw in|load|put)(?: (?:also|in))?"
        rf"(?: (?:the|standard|an?))* {_TERM}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:import|use)(?: line)? (?:of|for)(?: (?:the|standard))* {_TERM}", re.IGNORECASE
    ),
    re.compile(rf"{_TERM} {_SAID}\b", re.IGNORECASE),
    re.compile(rf"{_TERM} {_TO_BE}(?:import|missing|required|needed)", re.IGNORECASE),
)
_LISTED = rf"{QUOTE}{_NO_NAME}[^\W\d][\w$]*{QUOTE}"
_FROM = re.compile(
    r"(?P<asks>\b(?:imports?|require|include|use|need|want|add|bring(?: in)?|pull(?: in)?|take|get|have) )?"
    rf"(?P<names>{_LISTED}(?:(?:, | and |, and ){_LISTED})*) \(?(?:(?:imported|in|available|too|also|as well|function|class|type|decorator|hook),? )*"
    rf"from (?:the )?(?P<module>{QUOTE}(?:{MODULE}){QUOTE})",
    re.IGNORECASE,
)
_OWNED = re.compile(
    rf"(?P<module>{QUOTE}(?:{MODULE}){QUOTE})(?: {_SAID})?['’]s (?P<names>{_LISTED})", re.IGNORECASE
)
_IMPORTED = re.compile(r"\bshould be (?=import|require|includ|among|in the|at the)", re.IGNORECASE)
_CHOICE = re.compile(r"\b(?:either|or maybe|or rather)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"(?P<names>{_LISTED})(?: (?:class|function|type|decorator|hook|macro))? \((?:(?:from|in|of) )?(?:the )?(?P<module>{QUOTE}(?:{MODULE}){QUOTE})(?: {_SAID})?\)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|in case) (?!we want|you (?:can|could|want|have|don))|\b(?:first|second|last) (?:import|require|use|include) line",
    re.IGNORECASE,
)
_PATHS = {"java": r"\w+(?:\.\w+)+", "rust": r"\w+(?:::\w+)+", "go": r"\w+(?:/\w+)+"}
_NAMES_A_KIND = re.compile(
    r"\b(?:an?|add) imports? (?:guard|hook|map|cycle|alias|check|order|section|block|error|helper|path)\b",
    re.IGNORECASE,
)
"""Things that have to do with imports, and are none."""
_OF_PYTHON = re.compile(r"\bfrom \w+ import \w+")
_MOST = 4  # names of an import


def _read(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the import; nothing if the sentence names none or several, or the buffer has it."""
    text = request.parsed.text
    placed = import_place_in(text)
    rest = placed[1] if placed else text
    narrows = _CHOICE.search(rest) or _CONDITION.search(rest)
    if narrows or AGAINST.search(_IMPORTED.sub("", rest)) or _NAMES_A_KIND.search(rest):
        return
    if request.code.language in SCRIPTS and _OF_PYTHON.search(rest):
        return
    for intent, words in _imports_in(rest, request, is_placed=placed is not None):
        done = request.done(PlacedImport(intent, placed[0]) if placed else intent)
        if done is not None:
            yield replace(done, reading=words)
            return


def _imports_in(
    text: str, request: KindRequest, *, is_placed: bool
) -> Iterator[tuple[Intent, str]]:
    """Yield the imports that a text may name, likelier ones first, each with a plain sentence for it: as code, of a module's names, of an
    undefined name, and the only one whose name the language knows.
    """
    facts = request.facts
    found = (
        import_in(text, facts),
        written_in(text, facts, may_say_more=True),
        undefined_in(text, facts),
        _of_module(text, request),
        _of_known(text, request),
        import_by_words(text, facts, is_placed=is_placed),
    )
    yield from (x for x in found if x is not None)


def _of_module(text: str, request: KindRequest) -> tuple[Intent, str] | None:
    """The names of a module that a text names together: "CancelToken imported from axios"; ``None`` for none or several, and for a name that
    the buffer has.
    """
    facts = request.facts
    found: set[tuple[tuple[str, ...], str]] = set()
    for at in (x for form in (_FROM, _OWNED, _IN_BRACKETS) for x in form.finditer(text)):
        names, module = names_in(at["names"]), re.sub(r"[`'\"“”]", "", at["module"])
        is_source = module in facts.imports or module != at["module"] or "/" in module
        is_source |= request.code.language == "python" and _is_of_python(module)
        is_new = all(x not in facts.names - facts.undefined for x in names)
        are_names = all(is_spelled(x) or x[:1].isupper() or x in facts.undefined for x in names)
        if is_a_noun(module, text) and not are_names:
            continue
        is_asked = bool(at.groupdict().get("asks")) and FILLER.isdisjoint(names)
        if is_new and is_source and len(names) <= _MOST and (are_names or is_asked):
            found.add((names, module))
    if len(found) != 1:
        return None
    [(names, module)] = found
    each = tuple(ImportName(x, module) for x in names)
    words = f"import {', '.join(names)} from {module}"
    return (each[0] if len(each) == 1 else Several(each)), words


def _of_known(text: str, request: KindRequest) -> tuple[Intent, str] | None:
    """The only name of a text that stands where an import's name does, and that the language's own library has or that is a path."""
    spoken = [at["name"] for pattern in _NAMED for at in pattern.finditer(text)]
    known = {x for x in spoken if _is_known(x, text, request)}
    known = {x for x in known if not any(re.search(rf"\W{re.escape(x)}$", y) for y in known)}
    if len(known) != 1:
        return None
    [name] = known
    rest = re.findall(r"(?<=\w )[A-Za-z_]\w+", text.replace(name, ""))
    if any(is_spelled(x) and x not in request.facts.names for x in rest):
        return None
    if request.code.language == "java" and "." in name:
        return AddImportLine(f"import {name}"), f"import {name}"
    if request.code.language == "rust" and "::" in name:
        return AddImportLine(f"use {name}"), f"use {name}"
    module = name.rpartition("/")[2]
    return ImportName(module, name if module != name else ""), f"import {name}"


def _is_known(name: str, text: str, request: KindRequest) -> bool:
    """Whether an import of a name is certain: the language's own library has it, or it is a path of modules."""
    facts, language = request.facts, request.code.language
    if language in _PATHS and re.fullmatch(_PATHS[language], name):
        return True
    if name in facts.names - facts.undefined:
        return False
    own = re.escape(name)
    is_said = re.search(
        rf"[`'\"]{own}[`'\"]|\b{own}{QUOTE} (?:{_SAID}\b|{_TO_BE}import)|\bimports?(?: (?:of|for))? {QUOTE}{own}\b",
        text,
    )
    if name.lower() in FILLER | FUNCTION_WORDS and not is_said:
        return False
    if language == "python":
        return _is_of_python(name) or bool(standard_module(name, language) and is_spelled(name))
    return bool(standard_module(name, language)) or (language in SCRIPTS and bool(is_said))


def _is_of_python(module: str) -> bool:
    """Whether a module is of Python's own library."""
    return module.partition(".")[0] in sys.stdlib_module_names


READERS: dict[str, Reader] = {"add_import": _read}
"""The reader of imports."""
