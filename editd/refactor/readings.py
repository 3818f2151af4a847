"""The readings of an instruction, and which one is carried out: what its words state, what guesses say, what evidence says.

``transform`` makes the candidates of one intent. Here stands the order in which readings are tried, and what no result may
be: a text that does not parse, a setting with another value or unit than the words say, an import that is used and gone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from editd.diff.matching import changes
from editd.intent import Parsed, intents
from editd.intent.bare_request import asks_besides_deleting, asks_for_several
from editd.intent.evidence import (
    Interpretation,
    interpretations_of,
    speaks_of_errors,
    with_names,
)
from editd.intent.evidence.import_places import import_place_in
from editd.intent.evidence.target_cues import (
    asks_whether_needless,
    commands_target_edit,
    only_says_unused,
    speaks_of_deleting,
)
from editd.intent.evidence.targets import takes_companions
from editd.refactor.candidates import Candidates
from editd.refactor.cited_calls import deletes_another_call
from editd.refactor.entries import DATA
from editd.refactor.facts import facts_of
from editd.refactor.old_values import with_stated_value
from editd.refactor.rename import is_name, may_be_renamed
from editd.refactor.replace_word import replace_word
from editd.refactor.set_value import set_value
from editd.refactor.transform import TIMES, UNIT, located
from editd.refactor.used_imports import why_import_stays
from editd.syntax.code import Code, read_code
from editd.syntax.places import defined_in
from editd.syntax.words import as_word
from editd.turns import yield_point

_OTHER_THAN_DELETING = (
    intents.ExchangeText,
    intents.Rename,
    intents.ReplacePart,
    intents.ReplaceText,
    intents.ReplaceToken,
    intents.ReplaceWord,
    intents.SetByWords,
    intents.SetDescribed,
    intents.SetSetting,
    intents.SetValue,
)
_OF_ONE_CLAUSE = (intents.EditTarget, intents.Rename, intents.UseWithOpen)
"""Edits that a sentence asks for in one clause."""
LONGEST = 200_000  # characters of a text that is looked at
_IMPORTS = (intents.AddImport, intents.AddImportLine, intents.AddToImport)
# Where the cursor is, which is only known of a selection.
_AT_THE_CURSOR = re.compile(
    r"\b(?:in|inside|within|from) (?:this|the|the current) (?:function|method|class|selection|block)[.!]?\s*$",
    re.IGNORECASE,
)


def candidates_for(
    parsed: Parsed,
    text: str,
    language: str,
    *,
    path: str = "",
    selected: tuple[int, int] | None = None,
    location: str = "",
    cursor: int | None = None,
) -> Candidates | None:
    """New texts that ``parsed`` asks to make of ``text``; the first is the likeliest, and done without a model only if
    it is certain.

    ``None`` where words alone decide none, the text exceeds 200,000 characters, the words mean the cursor's place, nothing is selected and they
    do not describe it, or the transformation leaves it to a model. Guesses are tried where the stated intent changes
    nothing for certain; if a word beside the request names a definition of the text, only those that read all words,
    and no stated intent. The only candidate is ``text`` itself where nothing is to change, with a ``problem`` where the
    change must not be done, as if it took away an import that is used, or if the setting has another value than the
    words say. selected: lines ``start .. end`` (0-based, end exclusive) that "this" may mean. location:
    the definition to which the edit is limited, if the words name none. cursor: the line (0-based) by which one of
    several classes with a name is chosen. Ends the caller's turn (``yield_point``) if that has lasted long enough, and
    passes on its ``GreenletExit``.
    """
    if len(text) > LONGEST:
        return None
    yield_point()
    code = read_code(text, language)
    if selected is None and _AT_THE_CURSOR.search(parsed.text):
        is_described = cursor is None and with_names(parsed.text, facts_of(code)) != parsed.text
        return _by_evidence(parsed, code, path) if is_described else None
    if parsed.narrowing_names and not parsed.narrowing_names.isdisjoint(defined_in(text, language)):
        found = _guessed(parsed, code, path, reading_all=True) or _by_evidence(parsed, code, path)
        return _unless_used(found, parsed, code)
    if deletes_another_call(parsed.text, code) or asks_whether_needless(parsed.text):
        return None
    if takes_companions(parsed.text):
        return _unless_used(_by_evidence(parsed, code, path), parsed, code)
    found = _stated(parsed, code, path, selected, location, cursor)
    if isinstance(parsed.intent, _IMPORTS) and import_place_in(parsed.text):
        found = None
    if not _is_done(found, text) or parsed.lexical_reading:
        # Words that choose among places say more than a reading that passes them over.
        found = _by_evidence(parsed, code, path, of_described_places=True) or found
    if not _is_done(found, text):
        found = _guessed(parsed, code, path) or _by_evidence(parsed, code, path) or found
    elif parsed.lexical_reading:
        found = _by_evidence(parsed, code, path) or found
    if found is None or not found.problem:
        found = with_stated_value(found, parsed, code)
    if found is None or found.problem or not found.is_certain:
        return found
    if (unit := UNIT.search(parsed.text)) and _is_in_another_unit(unit[1], found, code):
        return None
    if only_says_unused(parsed.text) and _takes_used_definition(found.texts[0], code):
        return None
    return _unless_used(found, parsed, code)


def _unless_used(found: Candidates | None, parsed: Parsed, code: Code) -> Candidates | None:
    """The candidates; if the first is certain and lacks an import that it uses, the text itself with that as the problem."""
    if found is None or found.problem or not found.is_certain:
        return found
    problem = why_import_stays(code, read_code(found.texts[0], code.language), parsed.text)
    return Candidates((code.text,), problem=problem) if problem else found


def _takes_used_definition(new: str, code: Code) -> bool:
    """Whether a text lacks a definition that other lines of it have the name of."""
    lost = defined_in(code.text, code.language) - defined_in(new, code.language)
    return any(as_word(name).search(new) for name in lost)


def _is_done(found: Candidates | None, text: str) -> bool:
    """Whether the candidates change the text for certain, or say why it must not be changed."""
    if found is None:
        return False
    return bool(found.problem) or (found.is_certain and found.texts[0] != text)


def _stated(
    parsed: Parsed,
    code: Code,
    path: str,
    selected: tuple[int, int] | None,
    location: str,
    cursor: int | None,
) -> Candidates | None:
    """The candidates for the intent that the words state, limited to its location as ``located`` does; a result that
    no longer parses is not certain. ``None`` where they state none, or ``located`` leaves it to a model. location: if
    the words name none.
    """
    found = located(
        _first_guess_that_fits(parsed.intent, code), parsed, code, path, selected, location, cursor
    )
    if found is None or found.problem or not found.is_certain:
        return found
    if code.parses and read_code(found.texts[0], code.language).parses is False:
        return Candidates(found.texts)
    return found


def _guessed(
    parsed: Parsed, code: Code, path: str, *, reading_all: bool = False
) -> Candidates | None:
    """The one certain change that guesses at the words make, of each kind of intent the first such guess,
    ``is_one_of_many`` if that reads all words; if none makes a change, the text itself if one has ``nothing_to_do``;
    ``None`` if none changes the text, several do so differently, or the
    text does not parse.

    A guess does not count if the text would not parse after it, a remark beside its request names a definition of the
    text, it is a rename of what may not be renamed (``may_be_renamed``), or a value where errors are spoken of. reading_all: only guesses that read all
    words count.
    """
    if code.parses is False:
        return None
    fitting: dict[type[intents.Intent], Candidates] = {}
    done: Candidates | None = None
    is_of_errors = speaks_of_errors(parsed.text)
    for guessed in parsed.guessed:
        guess, names = guessed.intent, guessed.narrowing_names
        if type(guess) in fitting or (reading_all and not guessed.reads_all_words):
            continue  # the same with fewer words
        if isinstance(guess, _OTHER_THAN_DELETING) and commands_target_edit(parsed.text):
            continue
        if isinstance(guess, _IMPORTS) and import_place_in(parsed.text):
            continue  # the place would be lost
        if names and not names.isdisjoint(defined_in(code.text, code.language)):
            continue
        if isinstance(guess, intents.Rename) and not may_be_renamed(guess, parsed, code):
            continue
        if isinstance(guess, intents.SetDescribed | intents.SetSetting) and is_of_errors:
            continue
        found = located(guess, parsed, code, path, None)
        if found is not None and found.nothing_to_do:
            done = found
        if found is None or not found.is_certain or found.texts[0] == code.text:
            continue
        if code.parses and read_code(found.texts[0], code.language).parses is False:
            continue
        fitting[type(guess)] = replace(found, is_one_of_many=guessed.reads_all_words)
    sets = [x for kind, x in fitting.items() if issubclass(kind, _OTHER_THAN_DELETING)]
    if sets and code.language not in DATA and speaks_of_deleting(parsed.text):
        other = _by_evidence(parsed, code, path)
        if other is not None and any(other.texts[0] != x.texts[0] for x in sets):
            return None  # "no grid please": another argument, or no call
    texts = {found.texts[0] for found in fitting.values()}
    if done is not None and not texts:
        return done
    return next(iter(fitting.values())) if len(texts) == 1 else None


def _by_evidence(
    parsed: Parsed, code: Code, path: str, *, of_described_places: bool = False
) -> Candidates | None:
    """The one certain change that the interpretations by evidence make, those that account for all clauses before the others, and lower
    ranks before higher ones;
    ``None`` if several edits or none are asked for, none changes the text, several do so differently, or the text does not parse, before
    or after it. of_described_places: only those count that choose places by words, or say how many.
    """
    if code.parses is False or not parsed.is_asked_for:
        return None
    texts: dict[str, Candidates] = {}
    reached = (False, 0)
    are_several = asks_for_several(parsed.text)
    for interpretation in _interpretations(parsed.text, code):
        order = _order(interpretation)
        if (parsed.clauses and not interpretation.reads_all) or (texts and order != reached):
            break
        intent = interpretation.intent
        if _is_deletion(intent) and asks_besides_deleting(parsed.text):
            continue
        if are_several and isinstance(intent, _OF_ONE_CLAUSE):
            continue
        if isinstance(intent, _OTHER_THAN_DELETING) and commands_target_edit(parsed.text):
            continue
        if of_described_places and not _is_described(intent):
            continue
        found = located(intent, parsed, code, path, None)
        if found is None or found.problem or not found.is_certain or found.texts[0] == code.text:
            continue
        if code.parses and read_code(found.texts[0], code.language).parses is False:
            continue
        texts.setdefault(
            found.texts[0], replace(found, reading=found.reading or interpretation.words)
        )
        reached = order
    return next(iter(texts.values())) if len(texts) == 1 else None


@lru_cache(maxsize=2)
def _interpretations(text: str, code: Code) -> tuple[Interpretation, ...]:
    """The edits that ``text`` may ask of the code by evidence, those first that account for all clauses; the last two answers are cached,
    because one instruction is looked at several times.
    """
    found = interpretations_of(text, facts_of(code))
    return tuple(sorted(found, key=_order))


def _is_deletion(intent: intents.Intent) -> bool:
    """Whether an intent deletes a thing that the words describe."""
    return isinstance(intent, intents.EditTarget) and intent.action == "delete"


def _order(interpretation: Interpretation) -> tuple[bool, int]:
    """The order in which interpretations are tried: those that account for all clauses first, then by their ranks."""
    return not interpretation.reads_all, interpretation.rank


def _is_described(intent: intents.Intent) -> bool:
    """Whether an intent is limited to what words describe or count."""
    match intent:
        case intents.SomePlaces():
            return bool(intent.words or intent.count)
        case intents.RemoveUnusedImports():
            return bool(intent.names)
    return False


def _first_guess_that_fits(intent: intents.Intent, code: Code) -> intents.Intent:
    """``intent``; of a conditional one, with several guesses, the first for which the text has the
    names, ``Open`` if none fits.
    """
    if not isinstance(intent, intents.Conditional):
        return intent
    for guess in (intent.intent, *intent.others):
        match guess:
            case intents.Rename():
                fits = is_name(guess.old, code)
            case intents.SetValue():
                found = set_value(guess, code)
                fits = found is not None and found.is_certain
            case intents.ReplaceWord():
                fits = replace_word(guess, code) is not None
            case _:
                fits = True
        if fits:
            return guess
    return intents.Open()


def _is_in_another_unit(unit: str, found: Candidates, code: Code) -> bool:
    """Whether a comment on a line that the first candidate changes names another unit of time than ``unit``; ``False``
    if that is none.
    """
    if unit.lower() not in TIMES:
        return False
    lines = changes(code.lines, found.texts[0].splitlines(keepends=True))
    numbers = {number for change in lines for number in range(change.old_start, change.old_end)}
    comments = (
        t.text for t in code.tokens_of("comment") if code.text.count("\n", 0, t.start) in numbers
    )
    units = {
        TIMES[word]
        for text in comments
        for word in re.findall(r"[a-z]+", text.lower())
        if word in TIMES
    }
    return bool(units) and TIMES[unit.lower()] not in units
