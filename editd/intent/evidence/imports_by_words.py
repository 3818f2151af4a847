"""Reads an import from what is left of a request without small words: a module that is known, and names that the buffer lacks.

"add Any to the typing import" has the module that the buffer imports and a name that it lacks; "we'll need uuid, import it" a single
name, of which the standard library decides. Any other word, and nothing is read. Standard library only.
"""

from __future__ import annotations

import re
import sys

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.narrowing import has_condition, is_narrowed
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.whole_requests import asks_for_more
from editd.intent.intents import AddImport, ImportName, Intent, Several

_TERM = re.compile(
    r"[`'\"](?P<quoted>[@$\w./:-]+)[`'\"]|(?P<term>[@$\w.][@$\w./:-]*[\w$]|[A-Za-z])(?:['’]s)?"
)
_CUE = re.compile(
    r"\b(?:imports?|imported|importing|requires?|required|requiring|use line|into scope|in scope)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:needs?|needed|want|wanted|missing|lacks?|give (?:us|me)|get|bring|pull|too|also|as well|use|using)\b",
    re.IGNORECASE,
)
_ALIAS = re.compile(r"\b(?P<module>[a-z][\w.]*)\b(?P<between>.*?)\bas (?P<alias>[A-Za-z]\w*)\b")
_PURPOSE = re.compile(
    r"\bfor (?!(?:all|each|every)\b)(?:[\w'-]+ ?){1,3}?(?=[,;.!?)]|$| (?:i|we|you)\b)",
    re.IGNORECASE,
)
_ABOUT = frozenset(
    """
    add import imports imported importing require requires required requiring include included includes use module package header crate library
    lib missing need needs needed want top block std stdlib standard list group section already soon later here scope bring pull along come comes goes go
    type types macro decorator class name names things ones same way like others other existing give gives us me too also will as from
    about statement line lines in of out and with next step must should has have gotta available accessible
    """.split()  # noqa: SIM905
)
_MOST = 3  # names of a request
_LIKE_OTHERS = re.compile(
    r"(?:,? ?(?:in |just )?(?:exactly )?the same way)? ?\b(?:as|like|with|along with|together with|next to|beside|among|to) (?:all )?(?:the |our |my )?(?:others?|rest)\b(?: (?:[\w.]+ )?(?:things|stuff|ones|imports?|requires?|modules?|lines?|names))?(?: are)?",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"(?:(?<=\w)n['’]t|(?<=\w)['’](?:ll|d|s|re|ve|m))\b")
_NOT_WANTED = re.compile(
    r"(?:\w+n['’]?t|\bnot|\bno longer|\bnever) (?:be |really |even )?(?:needed|wanted|used)\b|\bneeds? no\b|\b(?:get|be|getting) rid\b|\band use (?:it|them)\b",
    re.IGNORECASE,
)


def import_by_words(text: str, facts: BufferFacts, *, is_placed: bool) -> tuple[Intent, str] | None:
    """The import that a request asks for, with a plain sentence for it; ``None`` for another request. is_placed: the words of its place
    have been taken off, which say that it is about imports.
    """
    is_about_imports = is_placed or _CUE.search(text) is not None
    if _NOT_WANTED.search(text):
        return None
    text = _CONTRACTED.sub("", _PURPOSE.sub(" ", _LIKE_OTHERS.sub(" ", text)))
    if not (is_about_imports or _WANTED.search(text)) or is_narrowed(text):
        return None
    terms = _terms(text, facts)
    known = {
        *_ABOUT,
        *(word for x in terms for word in (x.lower(), *re.findall(r"[\w$]+", x.lower()))),
    }
    if any(asks_for_more(x.text, known) or has_condition(x.text) for x in cut_sentence(text)):
        return None
    if facts.language == "python" and (alias := _ALIAS.search(text)) and is_about_imports:
        return _with_alias(alias, text, facts)
    modules = [x for x in terms if _is_module(x, facts)]
    modules = [x for x in modules if not any(y.startswith(f"{x}.") for y in modules)]
    terms = [x for x in terms if x in modules or not any(y.startswith(f"{x}.") for y in modules)]
    names = tuple(x for x in terms if x not in modules)
    if len(modules) == 1 and 0 < len(names) <= _MOST:
        return _from_module(modules[0], names, text, facts, is_about_imports=is_about_imports)
    return _of_single(terms[0], facts) if is_about_imports and len(terms) == 1 else None


def _from_module(
    module: str, names: tuple[str, ...], text: str, facts: BufferFacts, *, is_about_imports: bool
) -> tuple[Intent, str] | None:
    """The import of names from a module; ``None`` for a name that the buffer has, names that do not stand together, and for a module that
    is none for certain.
    """
    are_together = re.search(r"\W+(?:and )?".join(map(re.escape, names)), text)
    if not are_together or not all(_is_new(x, facts) for x in names):
        return None
    are_spelled = all(map(is_spelled, names))
    if is_a_noun(module, text) and not are_spelled:
        return None
    is_known = _is_of_python(module, facts) or (module in facts.imports and are_spelled)
    if not (is_about_imports or is_known):
        return None
    module = _whole(module, facts)
    each = tuple(ImportName(x, module) for x in names)
    return each[0] if len(each) == 1 else Several(each), f"import {', '.join(names)} from {module}"


def _of_single(name: str, facts: BufferFacts) -> tuple[Intent, str] | None:
    """The import of a single name that the buffer lacks or does not define; ``None`` for another, and in Python also for one that is no
    module of its library and not used, which leaves open where from.
    """
    is_decided = facts.language != "python" or _is_of_python(name, facts) or name in facts.undefined
    is_taken = name in facts.names - facts.undefined or name in facts.imports
    if is_taken or not is_decided or not re.fullmatch(r"[^\W\d][\w.]*", name):
        return None
    return ImportName(name), f"import {name}"


def _with_alias(alias: re.Match[str], text: str, facts: BufferFacts) -> tuple[Intent, str] | None:
    """The import of a Python module under another name; ``None`` if the request has other words, or a name is taken."""
    module, short = alias["module"], alias["alias"]
    hidden = f"{text[: alias.start()]}{'¤' * len(module)}{alias['between']}{'¤' * (len(short) + 3)}{text[alias.end() :]}"
    asking = [x.text for x in cut_sentence(hidden) if "¤" in x.text]
    rest = " ".join(x for x in _terms(" ".join(asking).replace("¤", " "), facts) if x != short)
    if (
        rest
        or short in facts.names - facts.undefined
        or {module, short} & (FUNCTION_WORDS | FILLER)
    ):
        return None
    return AddImport(f"{module} as {short}"), f"import {module} as {short}"


def _terms(text: str, facts: BufferFacts) -> list[str]:
    """The words of a text that may be names or modules: all but filler and words about imports, unless the buffer imports such."""
    found = []
    for at in _TERM.finditer(text):
        term = at["quoted"] or at["term"]
        is_small = term.lower() in FILLER | _ABOUT | FUNCTION_WORDS and not (
            is_spelled(term)
            or _is_a_name_inside(at, text)
            or (term in facts.imports and term[-1] == "s")
        )
        is_said = _is_of_python(term, facts) and (
            re.match(r" (?:module|package|library|crate)\b", text[at.end() :])
            or re.search(r"\bimport $", text[: at.start()])
        )
        if at["quoted"] or is_said or not is_small:
            found.append(term if term.startswith(".") else term.strip("."))
    found = found or [
        x
        for x in re.findall(r"[a-z]\w+", text)
        if _is_of_python(x, facts) and x not in FUNCTION_WORDS | _ABOUT
    ]
    return list(dict.fromkeys(x for x in found if x))


def _is_a_name_inside(at: re.Match[str], text: str) -> bool:
    """Whether a word has a capital though no sentence begins with it."""
    is_first = re.search(r"(?:^|[.!?:(] ?)$", text[: at.start()]) is not None
    return not is_first and re.fullmatch(r"[A-Z][a-z]+", at[0]) is not None


def _is_module(term: str, facts: BufferFacts) -> bool:
    """Whether a term is a module: the buffer imports from it, it has the form of a path, or is one of Python's."""
    is_path = re.match(r"\.{1,2}/|@\w|\$\w|node:", term) is not None or (
        "/" in term and facts.language != "go"
    )
    is_source = term in facts.imports and term not in facts.imports[term]
    root = term.partition(".")[0]
    is_source |= root != term and root in facts.imports and facts.language == "python"
    return (
        is_path
        or is_source
        or (facts.language == "python" and (term in facts.imports or _is_of_python(term, facts)))
    )


def _whole(module: str, facts: BufferFacts) -> str:
    """The module as the buffer imports it whose last part is the word: ``../types`` of "types"; the word itself for none or several."""
    found = [x for x in facts.imports if re.search(rf"[./]{re.escape(module)}$", x)]
    return found[0] if len(found) == 1 and facts.language != "python" else module


def _is_of_python(term: str, facts: BufferFacts) -> bool:
    """Whether a term is a module of Python's own library, in a Python buffer."""
    return facts.language == "python" and term.partition(".")[0] in sys.stdlib_module_names


def _is_new(name: str, facts: BufferFacts) -> bool:
    """Whether a term is an identifier that nothing in the buffer binds."""
    return name.isidentifier() and name not in facts.names - facts.undefined


def is_a_noun(module: str, text: str) -> bool:
    """Whether a request speaks of what a module is called as of a thing: "the orders of the api"."""
    follows = r"(?!['’]s| (?:imports?|modules?|package|library|crate|line)\b)"
    return re.search(rf"\bthe {re.escape(module)}\b{follows}", text) is not None


def is_spelled(name: str) -> bool:
    """Whether a word is spelled as no English word is."""
    return re.search(r"[_\d]|[a-z][A-Z]|^[A-Z]{2,}$", name) is not None
