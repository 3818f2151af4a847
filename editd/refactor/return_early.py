"""Returns early: turns a function's last ``if`` around, and outdents its body.

What follows the ``if``, or stands in its ``else``, comes first then, if it returns or raises; else a ``return`` does. In a
loop that is a ``continue``. Lines are moved whole, so a string that goes over line ends leaves it to a model.

a.py, "use an early return in f"::

    def f(x):
        if x is not None:
            send(x)
            log(x)

becomes::

    def f(x):
        if x is None:
            return
        send(x)
        log(x)

a.py, "invert the if in f"::

    def f(x):
        if len(x) > 1:
            log(x)
            return x[1]
        return None

becomes::

    def f(x):
        if len(x) <= 1:
            return None
        log(x)
        return x[1]

a.py, "flatten the nested ifs in f with guard clauses"::

    def f(x, y):
        if x:
            if y > 1:
                log(x)
                return x
        return None

becomes::

    def f(x, y):
        if not x:
            return None
        if y <= 1:
            return None
        log(x)
        return x

a.rs, "return early in f"::

    fn f(x: Option<u8>) {
        if let Some(y) = x {
            send(y);
        }
    }

becomes::

    fn f(x: Option<u8>) {
        let Some(y) = x else {
            return;
        };
        send(y);
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from editd.intent.intents import ReturnEarly
from editd.refactor.candidates import Candidates
from editd.refactor.condition_words import fits_description, fits_guard
from editd.refactor.python_function import only_function
from editd.refactor.python_turned_if import (
    python_last_if,
    python_nested_ifs,
    python_num_nested,
    python_turned_ifs,
)
from editd.refactor.tree_turned_if import (
    STATEMENT_ENDS,
    tree_last_if,
    tree_nested_ifs,
    tree_num_nested,
    tree_turned_ifs,
)
from editd.refactor.turned_if import TurnedIf, leaves
from editd.syntax.code import Code, read_code

_FEWEST_NESTED, _MOST_NESTED = 2, 6


def return_early(intent: ReturnEarly, code: Code) -> Candidates | None:
    """The text with the early return, or the early ``continue``, as a certain candidate: a last ``if`` is turned
    around, and its body outdented; with ``intent.is_nested`` also each ``if`` that ends the body of the one before.

    ``None`` unless exactly one ``if`` ends a function of that name (of any, if it is empty), or a loop in it, has the
    intent's ``test`` in its condition, its ``guard`` as the condition of the early return, and its ``value`` in the
    last line of what comes first then (``intent.done`` stands before a bare one), and can be turned around without another effect; also for a text that does not
    parse, has CR line ends, or is in another language than Python, C, Go, Java, JavaScript, Rust and TypeScript. Only
    loops count if ``intent.in_loop``; they also do if a function is named whose only ``if`` stands there.
    """
    if intent.is_nested:
        return _with_all_turned(intent, code)
    turns = [
        turn
        for turn in turned_ifs(intent, code)
        if _is_about(turn.test, intent.test)
        and intent.value in turn.first[-1]
        and fits_guard(intent.guard, turn, code, is_turned=intent.is_turned)
        and is_returned_first(intent.returned, turn)
        and fits_description(intent.described, turn, code)
    ]
    return with_turned_if(turns[0], code, done=intent.done) if len(turns) == 1 else None


def with_turned_if(turn: TurnedIf, code: Code, *, done: str = "") -> Candidates | None:
    """The text with an ``if`` turned around, as a certain candidate; ``None`` if it has CR line ends, or if ``done``, a statement, cannot stand
    before what comes first.
    """
    lines = code.lines
    if any("\r" in line for line in lines):
        return None
    with_statement = _with_statement(done, turn, code) if done else turn
    if with_statement is None:
        return None
    turn = with_statement
    new = [line + "\n" if line else "\n" for line in turn.lines]
    if not lines[turn.end - 1].endswith("\n"):
        new[-1] = new[-1].rstrip("\n")
    return Candidates(("".join([*lines[: turn.start], *new, *lines[turn.end :]]),), is_certain=True)


def turned_ifs(intent: ReturnEarly, code: Code) -> Iterable[TurnedIf]:
    """The ``if`` that can be turned around in the functions of the intent's name, as the readers of the languages find
    them; empty for a text that does not parse or is in another language.
    """
    if code.python is not None:
        return python_turned_ifs(code.python, intent)
    if code.tree is not None and code.language in STATEMENT_ENDS:
        return tree_turned_ifs(code, intent)
    return ()


def _with_statement(statement: str, turn: TurnedIf, code: Code) -> TurnedIf | None:
    """The turned ``if`` with a statement before its early return; ``None`` if more than a bare one comes first."""
    leave = turn.first[-1]
    if len(turn.first) > 1 or leave.strip().rstrip(";") not in ("return", "continue"):
        return None
    indent = leave[: len(leave) - len(leave.lstrip())]
    end = ";" if code.python is None and ";\n" in code.text else ""
    return replace(turn, first=(f"{indent}{statement}{end}", leave))


def is_returned_first(words: str, turn: TurnedIf) -> bool:
    """Whether the lines that ``turn`` puts first have one of the words for what is returned ("the usage message"), in the
    singular or the plural; also for no words.
    """
    first = "\n".join(turn.first).lower()
    stems = [word.removesuffix("s") for word in re.findall(r"\w+", words.lower())]
    return not stems or any(re.search(rf"(?<![^\W_]){stem}s?(?![^\W_])", first) for stem in stems)


def _with_all_turned(intent: ReturnEarly, code: Code) -> Candidates | None:
    """The text with a last ``if`` turned around, and each ``if`` that ends the body of the one before, as a certain
    candidate; what follows the first is what each of them does then. ``None`` unless each of them can be turned around
    as ``return_early`` does it, and they are not too many.
    """
    plain = replace(intent, is_nested=False)
    code, depth = _with_rest_inside(plain, code)
    for _ in range(_MOST_NESTED):
        turned = return_early(plain, code)
        if turned is None:
            return None
        if depth == 0:
            depth = max(1, num_nested(_first_changed(code, turned), code))
        depth -= 1
        code = read_code(turned.texts[0], code.language)
        if depth == 0:
            return turned
    return None


def _first_changed(code: Code, found: Candidates) -> int:
    """The number of the first line (0-based) in which the first candidate differs from the text."""
    pairs = zip(code.lines, found.texts[0].splitlines(keepends=True), strict=False)
    return next((at for at, (old, new) in enumerate(pairs) if old != new), len(code.lines))


def _nested_at(line: int, code: Code) -> list[int]:
    """The lines (0-based) below the bodies of the ``if`` on a line and of those that each end the body of the one before,
    the outermost first, up to one with ``else``; in braces those that close the bodies. Empty if no ``if`` without
    ``else`` is on that line.
    """
    if code.python is not None:
        return python_nested_ifs(code.python, line)
    return tree_nested_ifs(code.tree, line) if code.tree is not None else []


def num_nested(line: int, code: Code) -> int:
    """The number of the ``if`` on a line (0-based) and of those that each end the body of the one before."""
    if code.python is not None:
        return python_num_nested(code.python, line)
    return tree_num_nested(code.tree, line) if code.tree is not None else 0


def _with_rest_inside(intent: ReturnEarly, code: Code) -> tuple[Code, int]:
    """The code with the statement that follows the last ``if`` of the function once more at the end of the body of each
    nested ``if`` that ends with another, which does the same so that each can be turned around; and the number of
    nested ``if``, the innermost included.

    The code as it is, and 0, if nothing follows, or more than one line, or one that does not leave; if fewer than two
    ``if`` are nested, loops are meant, or not exactly one function has the name.
    """
    found = None if intent.in_loop else _last_if(intent.name or intent.location, code)
    if found is None:
        return code, 0
    line, rest = found
    chain = _nested_at(line, code)
    lines = list(code.lines)
    if len(chain) < _FEWEST_NESTED or rest == line or not leaves(lines[rest].strip()):
        return code, 0
    outer = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    inside = lines[line + 1][: len(lines[line + 1]) - len(lines[line + 1].lstrip())]
    unit = inside.removeprefix(outer)
    copied = lines[rest]
    for depth, end in reversed([*enumerate(chain[:-1], start=1)]):
        lines.insert(end, f"{unit * depth}{copied}")
    return read_code("".join(lines), code.language), len(chain)


def _last_if(name: str, code: Code) -> tuple[int, int] | None:
    """The numbers of the lines (0-based) of the last ``if`` of the only function called ``name``, and of the one
    statement of one line behind it; the first number twice if nothing follows, or a statement of several lines.

    ``None`` if the name is empty, not exactly one function has it, it has no ``if`` at the top of its body, or several
    statements follow.
    """
    only = only_function(name, code) if name else None
    if only is not None:
        return python_last_if(*only)
    return tree_last_if(code.tree, name) if name and code.tree is not None else None


def _is_about(test: str, mentioned: str) -> bool:
    """Whether each word of ``mentioned`` is in the condition ``test``."""
    words = [word for word in re.findall(r"\w+", mentioned) if word not in ("not", "is", "in")]
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", test) for word in words)
