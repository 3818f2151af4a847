"""Gives the one literal that a request describes by words around it another value.

a.py, "the ValueError message should say 'already taken'"::

    def play(cell):
        if cell:
            raise ValueError('taken')

becomes::

    def play(cell):
        if cell:
            raise ValueError('already taken')

a.py, "change the port from 5000 to 8081 in app.run"::

    PORT = 5000
    app.run(host="a", port=5000)

becomes::

    PORT = 5000
    app.run(host="a", port=8081)

a.json, "turn telemetry off (enabled: false)"::

    {
      "sync": {"enabled": true},
      "telemetry": {"enabled": true}
    }

becomes::

    {
      "sync": {"enabled": true},
      "telemetry": {"enabled": false}
    }
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.intent.intents import SetDescribed
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.literals import Literal, literals_of, stems_of
from editd.refactor.set_setting import UNITS, as_value, is_alike
from editd.refactor.word_stems import WHOLE_WORDS
from editd.syntax.code import Code
from editd.syntax.words import as_word

_SWITCHES = frozenset(["enabled", "enable", "active", "on"])
_TIMES = {"m": "ms", "ms": "ms", "milli": "ms", "sec": "s", "second": "s", "s": "s", "min": "min", "minute": "min", "hour": "h", "day": "d"}  # fmt: skip
_DEFAULTS = frozenset(["default", "flag"])
"""Words in the name of what is a default: an argument of that name, or any of a call that defines a flag."""
_MILLISECONDS = ("javascript", "typescript", "jsx", "tsx", "java", "csharp", "kotlin", "dart")
"""Languages in which times without a unit are mostly milliseconds."""
_SHORTEST = 3  # letters of an abbreviation


def set_described(intent: SetDescribed, code: Code) -> Candidates | None:
    """The text with the new value of the only literal that all words of ``intent`` name, as a certain candidate.

    Of several the one with the most of the words in its own name; for ``is_default`` only defaults of parameters count,
    and values called so. If the words are "by default" and none is named by all, the only default of its kind in the
    function that one of the words names, if its text has the others. ``None`` if none or several are left; literals
    whose value is of another kind than the new one, or equal to it, do not count.
    """
    literals = literals_of(code)
    fitting = [
        (rank, literal, written)
        for literal in literals
        if (found := _fit(literal, intent, code)) is not None
        for rank, written in [found]
    ]
    if intent.is_default:
        fitting = [x for x in fitting if x[1].is_parameter or x[1].own & _DEFAULTS]
        if intent.by_default and not fitting:
            fitting = _of_functions(literals, intent, code)
    best = max((rank for rank, _, _ in fitting), default=0)
    chosen = [(literal, written) for rank, literal, written in fitting if rank == best]
    if len(chosen) != 1:
        return None
    [(literal, written)] = chosen
    return Candidates(
        (with_spans(code.text, [(literal.start, literal.end, written)]),), is_certain=True
    )


def _fit(literal: Literal, intent: SetDescribed, code: Code) -> tuple[int, str] | None:
    """The number of the intent's words that are in a literal's own name, and the new value as it is written there.

    ``None`` if a word names neither the literal nor what it stands in (but for a single one, which is the new value if
    the intent has none), none is its own (unless the old value is said, the literal is a switch that becomes true or
    false, or a parameter named by the new value's unit), the old value is another, or the new one cannot stand there. A
    string to which no name is given counts only for a value in quotes, a known old value or a word that it stands in,
    then also with its own words.
    """
    old = code.text[literal.start : literal.end]
    if intent.was and old.strip("\"'`") != intent.was:
        return None
    is_mere_text = old[0] in "\"'" and not literal.is_named
    if is_mere_text and not (intent.is_quoted or intent.was or literal.names & {*intent.words}):
        return None
    unfit = [word for word in intent.words if not _names(word, literal)]
    if (unfit or not intent.words) and intent.is_quoted and is_mere_text:
        literal = replace(
            literal, own=literal.own | stems_of(old)
        )  # "the usage message" of "usage: …"
        unfit = [word for word in intent.words if not _names(word, literal)]
    new = intent.new
    if not new and len(unfit) == 1:
        new, unfit = unfit[0], []
    own = [word for word in intent.words if word != new and _is_own(word, literal)]
    if intent.is_bare and not (own and _is_named_whole(literal, intent, code)):
        return None
    hits = own or [word for word in intent.optional if _is_own(word, literal)]
    is_switch = new in ("true", "false") and not literal.own.isdisjoint(_SWITCHES)
    is_measured = literal.is_parameter and intent.unit and _units(literal) == {intent.unit}
    if unfit or not (hits or intent.was or (intent.words and (is_switch or is_measured))):
        return None
    written = _written(old, new, literal, intent, code)
    return None if written is None else (len(own), written)


def _units(literal: Literal) -> set[str]:
    """The units of time that a literal's own name has: ``d`` of ``days``."""
    return {_TIMES[stem] for stem in literal.own if stem in _TIMES}


def _is_named_whole(literal: Literal, intent: SetDescribed, code: Code) -> bool:
    """Whether the words have all of a literal's own name, as they must where a bare word of theirs is the value of code."""
    named = {stem for word in (*intent.words, *intent.optional) for stem in stems_of(word)}
    return not is_program(code) or literal.own <= named


def _written(old: str, new: str, literal: Literal, intent: SetDescribed, code: Code) -> str | None:
    """The new value as it is written in the place of ``old``; ``None`` if it is of another kind, or the same, if a bare
    word is of another shape than the string that it replaces (outside of programs only if one of both has a blank), or
    if the literal's name has another unit than the intent, or one that the intent does not name.
    """
    units = _units(literal)
    if intent.unit and units != {intent.unit} and (units or intent.unit != "s"):
        return None
    if intent.unit and not units and code.language in _MILLISECONDS and re.fullmatch(r"\d+00", old):
        return None
    named = frozenset(stem for word in (*intent.words, *intent.optional) for stem in stems_of(word))
    if not intent.unit and not (literal.own - named).isdisjoint(UNITS):
        return None  # "timeout" is not READ_TIMEOUT_MS
    written = as_value(old, new, is_quoted=intent.is_quoted, code=code)
    if written is None or written == old:
        return None
    is_word = not intent.is_quoted and old[0] in "\"'"
    is_word = is_word and (is_program(code) or " " in old + written)
    return None if is_word and not is_alike(old, written) else written


def _of_functions(
    literals: Sequence[Literal], intent: SetDescribed, code: Code
) -> list[tuple[int, Literal, str]]:
    """Defaults of the function that one of the words names, each with rank 1 and the new value as it is written there:
    those to which that value can be given, if the function's text has all other words but the one that may be the new
    value itself. Empty if defaults of several functions are left, or none.
    """
    words = (*intent.words, *intent.optional)
    found = []
    for literal in literals:
        if not literal.is_parameter or literal.function not in words:
            continue
        lines = next(x for x in code.definitions if x.name == literal.function and x.is_block)
        text = "".join(code.lines[lines.start : lines.end])
        others = [word for word in intent.words if word != literal.function]
        new = intent.new
        absent = [word for word in others if not as_word(word).search(text)]
        if not new and len(absent) == 1:
            new, absent = absent[0], []
        if absent or not new:
            continue
        quoted = replace(intent, new=new)
        written = _written(code.text[literal.start : literal.end], new, literal, quoted, code)
        if written is not None:
            found.append((1, literal, written))
    return found if len({literal.function for _, literal, _ in found}) == 1 else []


def _names(word: str, literal: Literal) -> bool:
    """Whether a word names a literal or what it stands in: it is a name there as it is written, or each of its parts
    (of ``max_size``) is a word of what the literal stands in or resembles one of its own name.
    """
    if word in literal.names:
        return True
    stems = stems_of(word)
    return bool(stems) and all(
        stem in literal.outer or _resembles(stem, literal.own) for stem in stems
    )


def _is_own(word: str, literal: Literal) -> bool:
    """Whether a word has a part of a literal's own name."""
    return any(_resembles(stem, literal.own) for stem in stems_of(word))


def _resembles(stem: str, own: frozenset[str]) -> bool:
    """Whether a word is one of these, or begins with one of them or the other way round: ``sep`` and "separator"."""
    return stem in own or any(
        min(len(stem), len(x)) >= _SHORTEST
        and min(stem, x, key=len) not in WHOLE_WORDS
        and (stem.startswith(x) or x.startswith(stem))
        for x in own
    )
