"""The request of a sentence without what people say around it: greetings, courtesy, reasons, and pronouns for what a reason names.

"hey, cargo warns about an unused import, would you remove it?" asks "remove the unused import". The clauses and their parts
are told in ``clause_roles``, what a pronoun may stand for in ``noun_phrases``; what an edit is knows neither. Standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from editd.intent.asked_for import is_asked_for
from editd.intent.bare_request.clause_roles import (
    ACTS,
    begins_with_act,
    role_of,
    what_stays,
    without_courtesy,
)
from editd.intent.bare_request.noun_phrases import PRONOUN, is_unused, noun_phrases
from editd.intent.english import QUOTED
from editd.intent.evidence.deleting import act_of_deleting
from editd.intent.evidence.request_clauses import RequestClause, cut_sentence
from editd.intent.evidence.spelling import with_typos_mended
from editd.intent.second_wish import has_second_wish

_WORD = re.compile(r"\w+")
_THINGS = """
    module modules import imports comment comments print prints string strings function functions method methods variable variables quotes quote parameter parameters
    argument arguments unused logging statement statements docstring docstrings constant constants everywhere annotation annotations setting settings dependency alphabetically please
    """.split()  # noqa: SIM905
_SPELLED = ACTS.union(_THINGS)
_MOST = 6  # requests that are tried
_MOST_CLAUSES = 8
_CODE = re.compile(rf"{QUOTED}|(?<![\w¤])[\w.]+\([^()\s]*\)|--?\w[\w-]*|(?<!\w)\.\w[\w.-]*")
_NARROWS = re.compile(
    r"\b(?:except|unless|other than|apart from|but not|not in|only (?:the|in|for|if|when|where|those|this|that|there)|all but|besides|whichever|whether|or not|if|stays?|later on|undo|wrong|right (?:in|here|there)|that is|i\.e|those|the (?:first|second|third|last)(?: one| two)?|as (?:it is|they are)|its (?:uses?|mentions?|calls?))\b|\b(?:do|does|done) (?:it|that|this)\b",
    re.IGNORECASE,
)
BUT_KEEP = re.compile(r",? (?:but|and|only|just) (?=(?:please )?(?:leave|keep)\b)", re.IGNORECASE)
"""Parts what goes from what stays: "drop the prints but keep the last"."""
_CHANGES = re.compile(
    r"(?:change|replace|swap|set|rename|make|use|switch|bump|update|put|raise|lower|turn|convert|call|name)\b",
    re.IGNORECASE,
)
_TELLS_VALUE = re.compile(r"¤|\d|[/_]|[a-z][A-Z]|\w\.\w")
_FORBIDS = re.compile(r"\b(?:don[’']?t|do not|never|except|unless)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BareRequest:
    """A request without what is said around it. passed_over: the words of the reasons that it does not have. stays: what is
    said to stay, as the sentence says it.
    """

    text: str
    passed_over: frozenset[str] = frozenset()
    stays: tuple[str, ...] = ()


def bare_requests(text: str, known: Collection[str] = ()) -> tuple[BareRequest, ...]:
    """The requests that a sentence may ask without what is said around it, likeliest first, six at most; never the
    sentence itself.

    Empty unless each clause of the sentence asks, gives a reason, or is courtesy, and those that ask stand together.
    Empty also where a sentence has a second wish, a reason narrows the request ("except", "only if"), or a reason may
    have the value of a change. known: words of the buffer, whose spelling is right.
    """
    if has_second_wish(text) or "\n" in text.strip():
        return ()  # lines are a list, of which each item may be a wish
    masked, code = _with_masked_code(text)
    masked = BUT_KEEP.sub(", ", with_typos_mended(masked, known, _SPELLED))
    parts = _parts(_rejoined(cut_sentence(masked), masked))
    if parts is None:
        return ()
    asking, reasons, stays = parts
    request = without_courtesy(masked[asking[0].start : asking[-1].end])
    if _FORBIDS.search(request):
        return ()
    is_change = _CHANGES.match(request) is not None and not PRONOUN.search(request)
    if is_change and any(_TELLS_VALUE.search(clause.text) for clause in reasons):
        return ()
    found = [_unmasked(x, code) for x in _resolved(request, reasons)]
    staying = tuple(_unmasked(x, code) for x in stays)
    found = [x for x in found if is_asked_for(x) and x != text.strip(" .!?")]
    words = {word for clause in reasons for word in _WORD.findall(_unmasked(clause.text, code))}
    return tuple(
        BareRequest(x, frozenset(words - {*_WORD.findall(x)}), staying)
        for x in dict.fromkeys(found)
    )[:_MOST]


def asks_besides_deleting(text: str) -> bool:
    """Whether a sentence of a text commands something else than a deletion, beside one that may: "Open it with a block. The close
    goes then.".
    """
    masked, _ = _with_masked_code(text)
    sentences = [x for x in re.split(r"[.!?;]\s+", masked) if x.strip()]
    return len(sentences) > 1 and any(
        begins_with_act(x) and act_of_deleting(without_courtesy(x)) is None for x in sentences
    )


def _parts(
    clauses: Sequence[RequestClause],
) -> tuple[list[RequestClause], list[RequestClause], list[str]] | None:
    """The clauses that ask, those that give reasons, and what is said to stay; ``None`` if none asks, those that ask do not stand together, one
    is none of these and no courtesy, or a reason narrows the request. A wish asks where nothing else does.
    """
    if len(clauses) > _MOST_CLAUSES:
        return None
    staying = [what_stays(clause.text) for clause in clauses]
    roles = ["stays" if x else role_of(y.text) for x, y in zip(staying, clauses, strict=True)]
    asks = "asks" if "asks" in roles else "wish"
    asking = [number for number, role in enumerate(roles) if role == asks]
    is_together = bool(asking) and asking[-1] - asking[0] < len(asking)
    if not is_together or {*roles} & {"limit", "unclear"}:
        return None
    reasons = [
        x
        for x, role in zip(clauses, roles, strict=True)
        if role in ("reason", "wish") and role != asks
    ]
    if any(_NARROWS.search(clause.text) for clause in reasons):
        return None
    return [clauses[number] for number in asking], reasons, [x for x in staying if x]


def _rejoined(clauses: tuple[RequestClause, ...], text: str) -> list[RequestClause]:
    """The clauses, those that no mark parts from the one before, and that are no reason, joined to it: "as the default"."""
    found: list[RequestClause] = []
    for clause in clauses:
        is_joined = not clause.mark and role_of(clause.text) != "reason"
        if found and (is_joined or re.fullmatch(r"¤\d+", clause.text)):
            above = found.pop()
            found.append(RequestClause(text[above.start : clause.end], above.start, above.mark))
        else:
            found.append(clause)
    return found


def _resolved(request: str, reasons: Sequence[RequestClause]) -> Iterator[str]:
    """Yield the request with each noun of the reasons in place of its pronoun; the request itself if it has none."""
    pronoun = PRONOUN.search(request)
    if pronoun is None:
        yield request
        return
    start = pronoun.end("act") if pronoun["act"] else pronoun.start()
    for clause in reversed(reasons):
        nouns = noun_phrases(clause.text)
        if pronoun["noun"] and is_unused(clause.text):
            nouns = iter([f"the unused {pronoun['noun']}"])
        for noun in nouns:
            is_thing = re.search(
                rf"\b(?:the|a|an|my|our) {re.escape(noun.removeprefix('the '))}\b", clause.text
            )
            is_module = request.lower().startswith("import ") and " " not in noun[4:]
            if is_module and is_thing:
                continue  # "I save the model": no module
            named = noun.removeprefix("the ") if is_module else noun
            yield f"{request[:start]}{named}{request[pronoun.end() :]}"


def _with_masked_code(text: str) -> tuple[str, list[str]]:
    """The text with a sign and a number for each quoted text, call, flag and file ending, and these."""
    code: list[str] = []

    def masked(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"¤{len(code) - 1}"

    return _CODE.sub(masked, text), code


def _unmasked(text: str, code: list[str]) -> str:
    """The text with the code in place of its signs."""
    return re.sub(r"¤(\d+)", lambda found: code[int(found[1])], text)
