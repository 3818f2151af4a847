"""What an intent makes of a text: the one place that says which transformation does what."""

from __future__ import annotations

import re
from dataclasses import replace

from editd.breathing import breathe
from editd.intent import Instruction
from editd.intent import intents as meanings
from editd.intent.english import is_code_like
from editd.refactor.add_docstring import documented
from editd.refactor.add_import import imported
from editd.refactor.add_parameter import with_parameter
from editd.refactor.add_type_hint import annotated
from editd.refactor.candidates import Literal
from editd.refactor.change_quotes import with_quotes
from editd.refactor.comment_out import commented
from editd.refactor.delete_comments import without_comments
from editd.refactor.delete_definition import undefined
from editd.refactor.delete_docstrings import without_docstrings
from editd.refactor.delete_lines import without_lines
from editd.refactor.delete_prints import without_prints
from editd.refactor.locations import which_of_several, within
from editd.refactor.prints_to_logging import logging_prints
from editd.refactor.remove_unused_imports import without_unused_imports
from editd.refactor.rename import is_named, renamed
from editd.refactor.replace_number import renumbered
from editd.refactor.replace_text import replaced
from editd.refactor.replace_word import exchanged_word
from editd.refactor.return_early import with_early_return
from editd.refactor.set_value import valued
from editd.refactor.sort_functions import with_sorted_functions
from editd.refactor.sort_imports import with_sorted_imports
from editd.refactor.use_f_strings import with_f_strings
from editd.refactor.use_with_open import with_open
from editd.refactor.wrap_try import guarded
from editd.syntax.code import read_code
from editd.syntax.scopes import defined_in, place_of

MOST = 200_000  # characters of a text that is looked at
# Where somebody is, which is only known of a selection.
_HERE = re.compile(
    r"\b(?:in|inside|within|from) (?:this|the|the current) (?:function|method|class|selection|block)[.!]?\s*$",
    re.IGNORECASE,
)


def literal(
    instruction: Instruction,
    text: str,
    language: str,
    *,
    path: str = "",
    selected: tuple[int, int] | None = None,
    place: str = "",
) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant. selected: lines ``start .. end`` that "this"
    may mean. place: the definition in which alone, if the words name none.
    """
    if len(text) > MOST or (selected is None and _HERE.search(instruction.text)):
        return None
    breathe()
    if instruction.spoken_of and not instruction.spoken_of.isdisjoint(defined_in(text, language)):
        return None
    meant = instruction.meaning
    if isinstance(meant, meanings.Likely):
        fitting = _fitting(meant, text, language)
        if fitting is None:
            return None
        meant = fitting
    if isinstance(meant, meanings.OfPython) and language != "python":
        return None
    if isinstance(meant, meanings.Placed) and (meant.place or place):
        if is_code_like(meant.place) and not _is_mentioned(meant.place, text):
            return Literal((text,), is_single=True, absent=meant.place)
        name, problem = which_of_several(meant.place or place, text, language, selected)
        if problem:
            return Literal((text,), problem=problem)
        meant = replace(meant, place=name)
    match meant:
        case meanings.Rename():
            found = renamed(meant, instruction, text, language)
        case meanings.Replace():
            found = (renumbered if meant.is_number else replaced)(meant, text, language)
        case meanings.SetValue():
            found = valued(meant, text, language)
            found = found or valued(replace(meant, is_any=True), text, language)
        case meanings.ReplaceWord():
            found = exchanged_word(meant, text, language)
        case meanings.DeleteLines():
            found = without_lines(meant.text, text, language)
        case meanings.DeleteDefinition():
            found = undefined(meant, text, language)
        case meanings.DeletePrints():
            found = without_prints(instruction.text, text, language)
        case meanings.DeleteComments():
            found = without_comments(text, language)
        case meanings.DeleteDocstrings():
            found = without_docstrings(meant.name, text)
        case meanings.AddImport():
            found = imported(meant, text)
        case meanings.Tidy():
            found = _tidied(meant.chore, text, language, path)
        case meanings.CommentOut():
            found = commented(meant, text, language, selected)
        case meanings.ReturnEarly():
            found = with_early_return(meant.name, text, language)
        case meanings.SortFunctions():
            found = with_sorted_functions(meant, text, language)
        case meanings.Annotate():
            found = annotated(meant, text)
        case meanings.AddParameter():
            found = with_parameter(meant, text)
        case meanings.Document():
            is_set = _IS_SET.search(instruction.text) is not None
            found = documented(meant, text, may_replace=is_set)
        case meanings.Guard():
            found = guarded(meant, text)
        case _:
            found = None
    # A place decides what is renamed and which value is meant, so that is asked before.
    if (
        isinstance(meant, meanings.Placed)
        and not isinstance(meant, meanings.Rename | meanings.SetValue)
        and meant.place
    ):
        where = place_of(meant.place, text, language)
        found = within(where, found, text) if where and found else None
    if found is None:
        return None
    if (
        found.is_single
        and read_code(text, language).parses
        and read_code(found.readings[0], language).parses is False
    ):
        return Literal(found.readings, problem=found.problem)
    return found


# "The docstring of f should be …" may mean another one than it has.
_IS_SET = re.compile(
    r"\b(?:should|must) (?:be|read|say)\b|\bbe the docstring|\bas the docstring|^\s*(?:please )?(?:set|change|update|replace)\b",
    re.IGNORECASE,
)


def _fitting(likely: meanings.Likely, text: str, language: str) -> meanings.Meaning | None:
    """What of the meanings the text has the names for; ``None`` if it has none."""
    for meaning in (likely.meaning, *likely.others):
        match meaning:
            case meanings.Rename():
                fits = is_named(meaning.old, text, language)
            case meanings.SetValue():
                found = valued(meaning, text, language)
                fits = found is not None and found.is_single
            case meanings.ReplaceWord():
                fits = exchanged_word(meaning, text, language) is not None
            case _:
                fits = True
        if fits:
            return meaning
    return None


def _is_mentioned(place: str, text: str) -> bool:
    """Whether the text has each part of "Cart.add", in whatever case."""
    return all(part in text.casefold() for part in re.findall(r"\w+", place.casefold()))


def _tidied(chore: str, text: str, language: str, path: str) -> Literal | None:
    match chore:
        case "sort-imports":
            return with_sorted_imports(text, language, path)
        case "unused-imports":
            return without_unused_imports(text, language, path)
        case "single-quotes" | "double-quotes":
            return with_quotes("'" if chore.startswith("single") else '"', text, language)
        case "logging":
            return logging_prints(text, language)
        case "with-open" if language == "python":
            return with_open(text)
        case "f-strings" if language == "python":
            return with_f_strings(text)
    return None
