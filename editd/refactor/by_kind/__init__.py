"""Carries out a sentence by its likeliest kind, where no row, guess or evidence reads it.

``intent.likely_kind`` says which kind of edit a sentence asks for. Here each kind has a reader, which looks for what exactly is meant:
the places, the names and the values that the sentence and the buffer have in common. Carried out is only the one
certain change of a kind that is likely enough, and only if what is said to stay stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from editd.intent import Parsed
from editd.intent.bare_request import BUT_KEEP, asks_for_several
from editd.intent.bare_request.clause_roles import what_stays
from editd.intent.english import QUOTED
from editd.intent.evidence.narrowing import is_question
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.says_more import says_more
from editd.intent.likely_kind import kinds_of
from editd.refactor.by_kind import (
    add_import,
    add_parameter,
    annotate,
    docstring,
    early_return,
    everywhere,
    exchange,
    imports,
    log_call,
    one_thing,
    rename,
    try_except,
)
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.by_kind.shapes import can_be
from editd.refactor.by_kind.staying import is_kept
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code, read_code

__all__ = ["READERS", "candidates_by_kind", "contradicts_kind", "likely_kinds", "read_as"]

Weigh = Callable[[str, Collection[str]], Mapping[str, float]]
"""Tells how likely a sentence asks for each kind, the likeliest first, given the names of the buffer."""
READERS: Mapping[str, Reader] = {
    **everywhere.READERS,
    **imports.READERS,
    **annotate.READERS,
    **early_return.READERS,
    **add_parameter.READERS,
    **add_import.READERS,
    **docstring.READERS,
    **log_call.READERS,
    **try_except.READERS,
    **one_thing.READERS,
    **exchange.READERS,
    **rename.READERS,
}
"""The reader of each kind."""
_ALIKE = (
    (
        "delete_comments",
        "delete_definition",
        "delete_line",
        "prints_delete",
        "remove_unused_imports",
    ),
    ("rename", "replace", "set_value"),
)
"""Kinds that a sentence may leave open, because each would do the same in the buffer, or only one of them can do anything."""
_OF_SEVERAL_CLAUSES = (
    "add_parameter",
    "annotate",
    "early_return",
    "log_call",
    "prints_to_logging",
    "try_except",
)
"""Kinds of which one clause says what, and another how."""
_LIKELY = 0.55
"""How likely a kind has to be, together with those that are like it. Of sentences that weights were not learned from, 97 % of those above
it are of their kind, and 1 % of the open ones are there (``python -m training.kinds --check``)."""
_LIMITS = (
    # except in save; but not "try/except OSError"
    r"(?<!try/)(?<!try-)(?<!try / )(?<!try )(?<!the )(?<!an )except(?! \(?(?:\w+\.)*\w*(?-i:Error|Exception|Interrupt|Expired|NotFound)\b)",
    r"excepting|excluding|other than|apart from|besides|neither|either|(?<!, )or not",
    r"unless(?!-| given| (?:the caller|told|somebody))",  # "unless given" is a default
    r"but not|but only|not (?:in|inside|the|this|that|those)",
    r"(?<!was )(?<!were )(?<!is )only (?:in|inside|for|if|when|where|once|at|on)",  # not "it was only for debugging"
    r"(?:don['’]?t|do not|never) (?:touch|change|rename|delete|remove|drop|sort)",
    r"leave(?! early| the function)|keep(?! (?:only |just |the last )?\d)",  # not "keep 14 backups"
    r"(?:we|i) (?:still )?need (?:the|that|this|those) (?:first|last|other|one)",
    r"they(?: are|['’]re) (?:right|fine|ok|okay|good|needed|useful)",
    r"if (?:that|it|this) (?:is|makes|would|saves)",
    r"(?<!one )(?<!two )(?<!ten )(?<!\d )(?:second|third|fourth)(?![ -]party)",  # not "two second sleep"
)
"""Limits that no reader looks at, what stays aside."""
_LIMITED = re.compile(rf"\b(?:{'|'.join(_LIMITS)})\b", re.IGNORECASE)
_MACRO = re.compile(
    r"\b(\w+)!(?= (?:and|in|from|at|for|to|that|calls?|lines?|macros?|statements?)\b)"
)
"""The name of a macro, whose mark ends no sentence."""
_UNLIKELY = 0.1  # a kind that is not tried


def candidates_by_kind(
    parsed: Parsed, text: str, language: str, path: str, weigh: Weigh = kinds_of
) -> Candidates | None:
    """The one certain change that a sentence asks for by its likeliest kind, with what it was taken for as its reading.

    ``None`` if no kind is likely enough, the sentence asks for nothing now or for several things, or ``read_as`` finds no such change.
    weigh: tells how likely each kind is.
    """
    asks = parsed.is_asked_for and not is_question(parsed.text)
    if not asks or parsed.clauses or says_more(parsed.text):
        return None
    code = read_code(text, language)
    if code.parses is False:
        return None
    kinds = likely_kinds(weigh(parsed.text, code.names))
    if asks_for_several(parsed.text):
        kinds = [x for x in kinds if x in _OF_SEVERAL_CLAUSES]
    return read_as(kinds, parsed, code, path)


def contradicts_kind(parsed: Parsed, found: Candidates, text: str, language: str) -> bool:
    """Whether the certain change that the words make cannot be an edit of the kind that the sentence most likely asks for (``can_be``);
    ``False`` for no change, or one with a problem.
    """
    if found.problem or not found.is_certain or found.texts[0] == text:
        return False
    code = read_code(text, language)
    kind, probability = next(iter(kinds_of(parsed.text, code.names).items()))
    new = read_code(found.texts[0], language)
    return not can_be(kind, probability, parsed.text, code, new)


def read_as(kinds: Sequence[str], parsed: Parsed, code: Code, path: str) -> Candidates | None:
    """The one certain change that the readers of some kinds find in a sentence; ``None`` if they find none or several, or it makes an exception
    other than that something stays, or that does not stay.
    """
    rest, staying = _without_staying(BUT_KEEP.sub(", ", _MACRO.sub(r"\1", parsed.text)))
    if _LIMITED.search(re.sub(QUOTED, "“…”", rest)):
        return None
    found: dict[str, Candidates] = {}
    for kind in kinds:
        request = KindRequest(rest, kind, parsed, code, path, staying)
        found |= {x.texts[0]: x for x in READERS[kind](request) if _may_be(x, code)}
    if len(found) != 1:
        return None
    new, candidates = next(iter(found.items()))
    return candidates if all(is_kept(what, code.text, new) for what in staying) else None


def _without_staying(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without its clauses that say what stays, and what these name."""
    found = [(x, what) for x in cut_sentence(text) if (what := what_stays(x.text))]
    for clause, _ in reversed(found):
        text = f"{text[: clause.start]} {text[clause.end :]}"
    return text, tuple(what for _, what in found)


def likely_kinds(odds: Mapping[str, float]) -> list[str]:
    """The kinds with a reader that are likely enough: the likeliest, and those like it that are not unlikely; empty if they are not, even together."""
    likeliest = next(iter(odds))
    alike = next((group for group in _ALIKE if likeliest in group), (likeliest,))
    kinds = [x for x in alike if odds[x] >= _UNLIKELY]
    is_likely = sum(odds[x] for x in kinds) >= _LIKELY
    return [x for x in kinds if x in READERS] if is_likely else []


def _may_be(found: Candidates, code: Code) -> bool:
    """Whether a change is certain, and the text still parses after it."""
    new = found.texts[0]
    if not found.is_certain or found.problem or new == code.text:
        return False
    return not code.parses or read_code(new, code.language).parses is not False
