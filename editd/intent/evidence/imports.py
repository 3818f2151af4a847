"""Evidence for an import: a name that the buffer uses and nothing defines, or an import as its language writes it.

"hash() uses crypto without requiring it" needs no more, because ``crypto`` is undefined there. Where the name is not used yet, the words
have to say of which module it is: "savgol_filter is in scipy.signal, please import it". Standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.import_places import import_place_in
from editd.intent.evidence.imports_by_words import import_by_words, is_a_noun, is_spelled
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.whole_requests import (
    Span,
    accounts_for,
    asks_for_more,
    functions_in,
)
from editd.intent.intents import (
    AddImport,
    AddImportLine,
    AddToImport,
    ImportName,
    ImportPlace,
    Intent,
    PlacedImport,
    Several,
)

_IMPORTS = r"(?:imports?|imported|importing|requires?|required|requiring|includes?|included|including|using|use statement|use line|use)"
_CUE = re.compile(
    rf"\b(?:{_IMPORTS}|undefined|undeclared|not defined|isn't defined|never defined|unresolved|unknown|NameError|ReferenceError|F821|no-undef|resolve[sd]?|(?:cannot|can't|could not) (?:be )?f(?:ind|ound)|missing|not in scope|out of scope|TS2304|E0433|E0412|implicit declaration)\b",
    re.IGNORECASE,
)
AGAINST = re.compile(
    r"\b(?:unused|remove|delete|drop|sort|order|rename|replace|instead of|rather than|should be|typo|misspel\w+|move|lazy|lazily|alias|relative|absolute|circular|(?:end|bottom) of (?:the |this )?(?:file|module|script))\b",
    re.IGNORECASE,
)
QUOTE = r"[`'\"“”]?"
MODULE = r"@?[^\W\d][\w-]*(?:(?:[./]|::)[\w@.-]*[\w-])*|\.{1,2}/[\w./-]*\w|node:\w+"
_SOURCE = re.compile(
    rf"\b(?:from|out of|comes? (?:from|with)|(?:is|it's|lives|lies|sits|defined|found) (?:in|from|part of)|part of|belongs to)(?: the)? (?P<mark>{QUOTE})(?P<module>{MODULE})(?P<end>{QUOTE})(?=[\s,.;:()!]|$)(?: (?:module|package|crate|lib|library|header|namespace))?",
    re.IGNORECASE,
)
_NAMES = rf"{QUOTE}(?P<names>[^\W\d][\w$]*{QUOTE}(?:(?:, and |, | and | & ){QUOTE}[^\W\d][\w$]*{QUOTE}){{0,3}})"
SOURCES = (
    re.compile(
        rf"{_NAMES}(?:,? which)?,? \(?(?:(?:also )?(?:is|are|lives?|lies|sits?|comes?) )?(?:from|out of|in|of|part of|with)(?: the)? {QUOTE}(?P<module>{MODULE}){QUOTE}\)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bfrom(?: the)? {QUOTE}(?P<module>{MODULE}){QUOTE},? (?:(?:we|i|you) )?(?:(?:will|also|now|'ll) )*(?:need|want|import|use)(?: also)? {_NAMES}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<module>{MODULE})['’]s {_NAMES}", re.IGNORECASE),
)
_STANDARD = re.compile(
    rf"{_NAMES} imports?\b(?! (?:block|group|list|line|section))|\b(?:imports? (?:of|for)(?: the)?|import|require) {_NAMES.replace('<names>', '<names2>')}"
    rf"|\b(?:need|needs|want|add|put) {_NAMES.replace('<names>', '<names3>')} (?:in|into|to|among)(?: the)? imports?\b",
    re.IGNORECASE,
)
_STATEMENTS = {
    "python": r"from [\w.]+ import \w+(?: as \w+)?(?:, (?!(?:at|in|on|to|below|after|above|before|under|and|please|as|with|not|then|so|we|i|it|but)\b)\w+)*|import [a-z][\w.]*(?: as \w+)?",
    "javascript": r"\{ ?[\w$, ]+ ?\} from [\"'][^\"']+[\"']|import (?:type )?(?:[\w$]+(?:, ?\{[^{}]+\})?|\{[^{}]+\}|\* as [\w$]+) from [\"'][^\"']+[\"']|import [\"'][^\"']+[\"']|require [`\"'][@\w./-]+[`\"']|(?:const|let|var) (?:[\w$]+|\{[^{}]+\}) = require\([\"'][^\"']+[\"']\)(?:\.\w+)?",
    "go": r"import \"[\w./-]+\"|\"[\w./-]+\"",
    "java": r"import (?:static )?[\w.]+\.[\w*]+|[a-z]\w*(?:\.[a-z]\w*)+\.[A-Z]\w*",
    "rust": r"use \w+(?:::\w+)*(?:::\{[\w, ]+\}|::\*)?(?: as \w+)?|\w+(?:::\w+)+",
    "c": r"#\s*include [<\"][\w./]+[>\"]|<[\w./]+\.h>|\b[\w/]+\.h\b",
}  # fmt: skip
_STATEMENTS["typescript"] = _STATEMENTS["tsx"] = _STATEMENTS["javascript"]
_STATEMENTS["cpp"] = _STATEMENTS["c"]
_PURPOSE = re.compile(r"\bfor (?:the |my |our |its )?(?!all\b|each\b|every\b)[\w-]+")
_BESIDE = re.compile(
    rf"\b(?:right |directly |just )?(?P<side>below|after|under|underneath|behind|above|before|next to)(?: the)? {QUOTE}(?P<anchor>[\w@./-]+){QUOTE}(?: (?:line|import|require|include|one|statement))?\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:(?:at|on|to|in|up|with|among|along with|next to|below|after|like|beside)(?: the| all| our)?(?: very)? (?:top(?: of (?:the )?(?:file|module))?|other\w*(?: \w+)? imports?|others|existing imports?|imports?|import (?:block|group|list|section)|std(?:lib)? imports?|rest)|up top|on top)\b",
    re.IGNORECASE,
)
_NAMESPACE = re.compile(
    r"\b(?:namespace import|as (?:a )?namespace|import \* as|star import)\b", re.IGNORECASE
)
_NOT_NAMES = frozenset("require module exports import use using include".split())  # noqa: SIM905
_NO_NAMES = (
    KINDS
    | LABELS
    | frozenset(
        "docstring docstrings formatting hook guard logging everything comment comments error errors test tests".split()  # noqa: SIM905
    )
)
# No import of a guard, and none that is only mentioned in brackets: "(needs import logging too)".
_ASIDE = re.compile(r"\bimport guard\b|%|\([^()]*\bimports?\b[^()]*\)", re.IGNORECASE)
_A_NOUN = re.compile(r"\ban import (?!of|for|from|line|statement|as)\w", re.IGNORECASE)
_ABOUT = frozenset(
    """
    add import imports imported importing require requires required requiring include included includes using use from module package header crate library lib
    namespace missing need needs want add top line lines file block std stdlib other like with statement undefined already soon top-level section group
    bring pull scope
    """.split()  # noqa: SIM905
)


_SCRIPTS = ("javascript", "typescript", "tsx")
_BARE_SOURCE = re.compile(
    r"(?<=\} )from (?P<module>(?:\.{1,2}/|\$|@)[\w@/.-]*\w)(?=[\s,;:!)]|\.?$)"
)


def read_import(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the import that ``text`` asks for: as it writes it, of the undefined names of the buffer that it has, or of a name whose module
    it names; nothing if it speaks of no import, or asks for more.
    """
    if AGAINST.search(text) or _A_NOUN.search(text) or _ASIDE.search(text):
        return
    if facts.language in _SCRIPTS:
        text = _BARE_SOURCE.sub(r'from "\g<module>"', text)
    placed = import_place_in(text)
    if placed is None:
        if found := import_in(text, facts) or import_by_words(text, facts, is_placed=False):
            yield Interpretation(*found, reads_all=True)
        return
    place, rest = placed
    own = import_in(rest, facts) or import_by_words(rest, facts, is_placed=True)
    for intent, words in (own,) if own else _plainly_in(rest):
        yield Interpretation(
            PlacedImport(intent, place), f"{words} {_in_words(place)}", reads_all=True
        )


def import_in(text: str, facts: BufferFacts) -> tuple[Intent, str] | None:
    """The import that a request has, with a plain sentence for it; ``None`` for none."""
    found = None
    if _CUE.search(text):
        found = written_in(text, facts) or undefined_in(text, facts)
    return found or _named_in(text, facts)


def _plainly_in(text: str) -> Iterator[tuple[Intent, str]]:
    """Yield the imports that a request without its place is by the rows and guesses of rules."""
    from editd.intent.matching import (  # the rows are loaded where they are needed
        guesses_of,
        intent_of,
    )

    for intent in (intent_of(text), *(x.intent for x in guesses_of(text))):
        if isinstance(intent, AddImport | AddImportLine | AddToImport):
            yield intent, text


def _in_words(place: ImportPlace) -> str:
    """A place as a plain sentence has it."""
    words = f"{place.where} {place.beside}".strip() + (f", before {place.end}" if place.end else "")
    return words if place.beside or place.where == "in order" else f"as the {words}"


def written_in(
    text: str, facts: BufferFacts, *, may_say_more: bool = False
) -> tuple[Intent, str] | None:
    """The import that a request has as code, with the one beside which it goes; ``None`` without or, unless it may say more, with words
    that are left over.
    """
    pattern = _STATEMENTS.get(facts.language)
    found = (
        list(re.finditer(rf"(?<![\w.#])`?(?P<code>{pattern});?`?(?![\w(])", text))
        if pattern
        else []
    )
    found = [
        at
        for at in found
        if not re.fullmatch(r"import \w+(?: as \w+)?", at["code"])
        or at["code"].split()[1].lower() not in FUNCTION_WORDS | _ABOUT
    ]
    if facts.language in ("python", "rust", "go", "java"):
        found = [at for at in found if _is_code(at, text, facts)]
    if len(found) != 1:
        return None
    [at] = found
    rest = text[: at.start()] + " " * (at.end() - at.start()) + text[at.end() :]
    beside = _BESIDE.search(rest)
    place = _PLACE.search(rest)
    spans: list[Span] = [at.span()]
    if place and not (
        beside
        and beside["anchor"].lower()
        not in ("top", "other", "others", "rest", "imports", "existing")
    ):
        beside = None
        spans.append(place.span())
    if beside:
        spans.append(beside.span())
    named = re.search(r"\w+$", re.sub(r"[;\"'>)\]}]+$", "", at["code"]))
    about = {*_ABOUT, *(re.findall(r"\w+", at["code"].lower())), named[0].lower() if named else ""}
    hidden = rest[: at.start()] + "\x00" * (at.end() - at.start()) + rest[at.end() :]
    about |= set(functions_in(hidden, facts))
    if not (may_say_more or accounts_for(hidden, spans, about, facts)):
        return None
    statement = at["code"]
    if facts.language == "java" and not statement.startswith("import"):
        statement = f"import {statement}"
    if statement.startswith("{"):
        statement = f"import {statement}"
    if facts.language == "rust" and not statement.startswith("use"):
        statement = f"use {statement}"
    if facts.language in ("c", "cpp") and not statement.startswith("#"):
        statement = f"#include {statement}"
    anchor = beside["anchor"] if beside else ""
    is_before = bool(beside and beside["side"].lower() in ("above", "before"))
    if facts.language == "python" and not anchor:
        plain = re.fullmatch(r"(?:from (?P<module>[\w.]+) )?import (?P<name>[\w.]+)", statement)
        if plain:
            name, module = plain["name"], plain["module"]
            return (ImportName(name, module) if module else AddImport(name, "")), statement
        if re.fullmatch(r"import [\w.]+ as \w+", statement):
            return AddImport(statement.removeprefix("import ")), statement
    return AddImportLine(
        statement, anchor, is_before
    ), f"add {statement}{f' beside {anchor}' if anchor else ''}"


def _is_code(at: re.Match[str], text: str, facts: BufferFacts) -> bool:
    """Whether what looks like an import is one: in backticks, or with more than ordinary words."""
    code = at["code"]
    if "`" in at[0] or at[0].endswith(";"):
        return True
    if facts.language == "python":
        is_alias = re.search(r" as (?!(?:well|usual|needed|before|an?|the|in|it|we)$)\w+$", code)
        return (code.startswith("from ") or is_alias is not None) or (
            code.count(" ") == 1
            and re.search(r"(?:^|[:,.] |add |need |an? |put |missing )$", text[: at.start()])
            is not None
            and re.match(
                r"(?:$|[.,;:!?)]| (?:with|at|on|to|below|above|after|before|too|as|please|in|up|is|there)\b)",
                text[at.end() :],
            )
            is not None
        )
    return True


def undefined_in(text: str, facts: BufferFacts) -> tuple[Intent, str] | None:
    """The imports of the undefined names that a request has; ``None`` for none, or if it asks for more."""
    found = [
        name
        for name in facts.undefined - _NOT_NAMES
        if re.search(rf"(?<![\w.$/-]){re.escape(name)}(?![\w$/-])", text)
    ]
    source = _SOURCE.search(text)
    if source and source["module"].lower() in (
        "line",
        "top",
        "the",
        "here",
        "there",
        "scope",
        "file",
    ):
        source = None
    if source:
        found = [name for name in found if name != source["module"]] or found
    found.sort(key=text.index)
    known = {*_ABOUT, *(name.lower() for name in found)}
    rest = text[: source.start()] + " " * len(source[0]) + text[source.end() :] if source else text
    if not found or any(asks_for_more(clause.text, known) for clause in cut_sentence(rest)):
        return None
    owner = re.search(rf"(?P<module>{MODULE})['’]s `?{re.escape(found[0])}\b", text)
    module = source["module"] if source else owner["module"] if owner else ""
    each = tuple(ImportName(name, module) for name in found)
    words = f"import {', '.join(found)}{f' from {module}' if module else ''}"
    return (each[0] if len(each) == 1 else Several(each)), words


def _named_in(text: str, facts: BufferFacts) -> tuple[Intent, str] | None:
    """The import of a name whose module a request names; ``None`` without, or with words that are left over."""
    if facts.language in ("javascript", "typescript", "tsx") and (star := _NAMESPACE.search(text)):
        ticked = re.findall(r"`([\w@/-]+)`", text)
        rest = text[: star.start()] + " " * len(star[0]) + text[star.end() :]
        if len(ticked) == 1 and not any(
            asks_for_more(clause.text, _ABOUT) for clause in cut_sentence(rest)
        ):
            name = ticked[0].rpartition("/")[2]
            return AddImportLine(
                f'import * as {name} from "{ticked[0]}"'
            ), f"import {name} as a namespace"
    has_includes = facts.language in ("c", "cpp")
    cue = r"\bimport|\brequire" + (r"|\binclude" if has_includes else "")
    speaks_of_imports = re.search(cue, text, re.IGNORECASE) is not None
    for pattern in SOURCES:
        for at in pattern.finditer(text):
            names, module = names_in(at["names"]), at["module"]
            is_standard = module.split(".")[0] in sys.stdlib_module_names
            is_known = module in facts.imports or (facts.language == "python" and is_standard)
            if module.lower() in _ABOUT | FUNCTION_WORDS or not (speaks_of_imports or is_known):
                continue
            is_said = speaks_of_imports or _CUE.search(text)
            if is_a_noun(module, text) and not all(map(is_spelled, names)):
                continue  # "import orders from the api"
            if not is_said or text[at.end() : at.end() + 1] == "(" or _NO_NAMES.issuperset(names):
                continue
            if found := _import_of(names, module, at, text, facts):
                return found
    if speaks_of_imports and facts.language != "python" and (standard := _STANDARD.search(text)):
        listed = standard["names"] or standard["names2"] or standard["names3"]
        return _import_of(names_in(listed), "", standard, text, facts)
    return None


def names_in(listed: str) -> tuple[str, ...]:
    """The names of a list, without quotes."""
    return tuple(x for x in re.findall(r"[^\W\d][\w$]*", listed) if x != "and")


def _import_of(
    names: tuple[str, ...], module: str, at: re.Match[str], text: str, facts: BufferFacts
) -> tuple[Intent, str] | None:
    """The imports of names from a module, which stand in a request at ``at``; ``None`` for a word that is no name, a name that the buffer
    has, or with words that are left over.
    """
    if any(
        name.lower() in _ABOUT | FUNCTION_WORDS or name in facts.names - facts.undefined
        for name in names
    ):
        return None
    hidden = text[: at.start()] + "\x00" * len(at[0]) + text[at.end() :]
    rest = re.sub(r"\((?:from|import)[ .…]*(?:import)?[ .…]*\)", lambda x: " " * len(x[0]), hidden)
    rest = _PURPOSE.sub(lambda x: " " * len(x[0]), rest)
    if not accounts_for(rest, [at.span()], _ABOUT, facts):
        return None
    each = tuple(ImportName(name, module) for name in names)
    words = f"import {', '.join(names)}{f' from {module}' if module else ''}"
    return (each[0] if len(each) == 1 else Several(each)), words
