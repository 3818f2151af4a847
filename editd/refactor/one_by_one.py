"""Carries out several requests of one sentence, each on the text that the one before it left: all of them, or none; and a request with
an exception that describes one of its places.

a.py, "change the port to 8080 and turn off debug mode"::

    app.run(port=5000, debug=True)

becomes::

    app.run(port=8080, debug=False)

a.js, "remove the console.logs except the one for the port"::

    console.log("order", order);
    console.log(`listening on port ${port}`);

becomes::

    console.log(`listening on port ${port}`);
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editd.intent import Parsed, intents, parse
from editd.intent.context import VERB
from editd.intent.exceptions import Excepted, exception_in
from editd.intent.joined_requests import Cut, cuts_of
from editd.refactor.candidates import Candidates, Mentions, on_earlier_lines
from editd.refactor.described_places import at_other_places
from editd.refactor.readings import candidates_for
from editd.syntax.code import read_code

_DEEPEST = 3  # cuts in what another cut has left


def candidates_one_by_one(
    parsed: Parsed, found: Candidates | None, text: str, language: str, path: str
) -> Candidates | None:
    """The text that all of the requests of a sentence make, as a certain candidate; ``found``, the candidates for the whole
    sentence, if it is a single request, or words do not decide all of several.

    A reading by evidence passes words over, so that several requests that are all certain say more than it; ``None`` if it
    does but one of two.
    """
    if found is not None and (found.problem or (_is_done(found, text) and not found.reading)):
        return found
    if found is None and parsed.clauses:
        found = _in_order(parsed.clauses, text, language, path)
        if found is not None:
            return found
    if not parsed.is_asked_for:
        return found
    is_done = found is not None and _is_done(found, text)
    if (exception := exception_in(parsed.text)) and not is_done:
        return _with_exception(exception, text, language, path)
    cuts = list(cuts_of(parsed.text))
    steps = _only(_joined(cuts, text, language, path))
    if steps:
        return _composed(steps, text)
    if found is not None and is_done:
        is_half = any(_is_half(cut, found, text, language, path) for cut in cuts)
        return None if is_half else found
    return found


def _is_half(cut: Cut, whole: Candidates, text: str, language: str, path: str) -> bool:
    """Whether ``whole`` does no more than one part of a cut, of which the other asks for something, too: the first of two things, or the
    second of two requests.
    """
    if cut.is_elided:
        first = _certain(cut.first, text, language, path)
        if first is not None and first.texts[0] == whole.texts[0]:
            return True
    if not (VERB.match(cut.first) and cut.begins):
        return False
    rest = (_certain(way, text, language, path) for way in cut.rest)
    return any(x is not None and x.texts[0] == whole.texts[0] for x in rest)


def _is_done(found: Candidates, text: str) -> bool:
    """Whether the candidates change the text for certain."""
    return found.is_certain and found.texts[0] != text


def _certain(request: str, text: str, language: str, path: str) -> Candidates | None:
    """The candidates for one request, if they change the text for certain; else ``None``."""
    found = candidates_for(parse(request), text, language, path=path)
    return found if found is not None and not found.problem and _is_done(found, text) else None


def _second(way: str, first: str, text: str, language: str, path: str) -> Candidates | None:
    """As ``_certain``, for what follows the request ``first``; also the text itself where imports are to be sorted that are in order
    once that is done, if that begins with a verb as well.
    """
    parsed = parse(way)
    if not (isinstance(parsed.intent, intents.SortImports) and VERB.match(first)):
        return _certain(way, text, language, path)
    found = candidates_for(parsed, text, language, path=path)
    return found if found is not None and found.is_certain and not found.problem else None


def _with_exception(excepted: Excepted, text: str, language: str, path: str) -> Candidates | None:
    """The candidates for a request with an exception; ``None`` if words do not decide either, or it renames, since a name has one
    spelling.
    """
    if isinstance(parse(excepted.request).intent, intents.Rename):
        return None
    found = _certain(excepted.request, text, language, path)
    return at_other_places(excepted, found, read_code(text, language)) if found else None


Steps = tuple[Candidates, ...]
"""The candidates for requests in order, each of the text that the one before it made."""


def _joined(
    cuts: Sequence[Cut], text: str, language: str, path: str, depth: int = 0
) -> Iterator[Steps]:
    """Yield the steps of each cut of which all parts are certain."""
    for cut in cuts:
        first = _certain(cut.first, text, language, path)
        if first is None:
            continue
        done = first.texts[0]
        renamed = parse(cut.first).intent
        if isinstance(renamed, intents.Rename) and any(_gives_up(renamed.new, x) for x in cut.rest):
            continue  # "a to b and b to a", which one after the other would make one name of two
        for way in cut.rest:
            second = _second(way, cut.first, done, language, path)
            if second is not None:
                yield first, second
            elif depth < _DEEPEST:
                for steps in _joined([*cuts_of(way)], done, language, path, depth + 1):
                    yield first, *steps


def _gives_up(name: str, sentence: str) -> bool:
    """Whether a sentence renames ``name``, itself or in one of its requests."""
    parts = (sentence, *(way for cut in cuts_of(sentence) for way in (cut.first, *cut.rest)))
    each = (parse(part).intent for part in parts)
    return any(isinstance(x, intents.Rename) and x.old == name for x in each)


def _only(found: Iterator[Steps]) -> Steps:
    """The first steps, if all lead to the same text; empty if there are none, or several do something different."""
    each = list(found)
    return each[0] if len({steps[-1].texts[0] for steps in each}) == 1 else ()


def _composed(steps: Steps, before: str) -> Candidates:
    """The last text as a certain candidate, with what each step leaves alone or assumes, on lines of ``before``."""
    left_alone: Mentions = ()
    assumptions: Mentions = ()
    text = before
    for step in steps:
        left_alone += on_earlier_lines(step.left_alone, text, before)
        assumptions += on_earlier_lines(step.assumptions, text, before)
        text = step.texts[0]
    reading = " and ".join(step.reading for step in steps) if all(x.reading for x in steps) else ""
    return Candidates(
        (text,),
        is_certain=True,
        left_alone=left_alone,
        assumptions=assumptions,
        is_one_of_many=any(x.is_one_of_many for x in steps),
        reading=reading,
    )


def _in_order(requests: tuple[str, ...], text: str, language: str, path: str) -> Candidates | None:
    """The text that all of several requests make, as ``_composed``.

    ``None`` if words do not certainly decide one of them, or it changes nothing. If one must not be done, the
    candidates for that one alone, with their ``problem``; ``None`` if that asks which of several things is meant and
    words decide nothing of a later request, which may say it.
    """
    before = text
    steps: list[Candidates] = []
    for number, request in enumerate(requests):
        found = candidates_for(parse(request), text, language, path=path)
        if found is not None and found.problem:
            rest = (candidates_for(parse(x), text, language, path=path) for x in requests[number:])
            return found if all(rest) or not found.asks_which else None
        if found is None or not _is_done(found, text):
            return None
        steps.append(found)
        text = found.texts[0]
    return _composed(tuple(steps), before)
