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

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.intent.intents import ReturnEarly
from editd.refactor.candidates import Candidates
from editd.refactor.python_function import only_function
from editd.syntax.code import Code, read_code
from editd.syntax.conditions import python_contrary, tree_contrary
from editd.syntax.python_text import Function, PythonText
from editd.syntax.trees import Node, Tree

_FUNCTIONS = (
    "function_declaration", "function_definition", "function_item", "method_declaration",
    "method_definition", "generator_function_declaration",
)  # fmt: skip
_VALUES = ("function_expression", "arrow_function")
_ENDS = {
    "javascript": ";", "jsx": ";", "typescript": ";", "tsx": ";", "java": ";", "c": ";", "go": "", "rust": ";",
}  # fmt: skip
_PLACE = r"[*&]*(?:mut )?[\w.]+(?:::\w+)*"
_MAKES_NOTHING = re.compile(
    rf"{_PLACE}(?:\.as_(?:deref_)?(?:ref|mut|deref)\(\))?"
    rf"(?:\.\w+)?(?:\((?:{_PLACE}(?:, {_PLACE})*)?\))?(?:\.await)?"
)
_DECLARING = (
    "lexical_declaration", "declaration", "short_var_declaration", "var_declaration", "const_declaration",
    "let_declaration", "local_variable_declaration", "function_declaration", "class_declaration",
    "type_declaration", "function_item", "use_declaration",
)  # fmt: skip
_LOOPS = (
    "for_statement", "for_in_statement", "enhanced_for_statement", "while_statement", "for_expression",
    "while_expression", "loop_expression",
)  # fmt: skip
# Statements behind which nothing runs, and calls that never come back.
_LEAVES = re.compile(
    r"(?:return|raise|throw|continue|break)\b"
    r"|(?:abort|exit|quit|sys\.exit|os\._exit|process\.exit|os\.Exit|log\.Fatal\w*|panic!?|std::process::exit)\("
)


_FEWEST_NESTED, _MOST_NESTED = 2, 6
# In the words for a condition.
_SAYS_NOTHING = frozenset(
    """
    there is no are the a an not if any case empty missing none null nil undefined falsy truthy false unset set given it its
    has was were isn't isn aren that already current without when nothing at all s t
    """.split()  # noqa: SIM905
)
# Of anything: "0" that it is not there, "+" and "-" how much of it there is, "!" that it is another.
_STATES = {
    **dict.fromkeys(["empty", "missing", "none", "null", "nil", "absent", "blank", "dead", "gone", "zero", "off", "unset", "void", "depleted"], "0"),
    **dict.fromkeys(["above", "over", "more", "greater", "higher", "high", "exceeds", "exceeded", "long", "big", "large", "enough", "many", "sufficient"], "+"),
    **dict.fromkeys(["below", "under", "less", "fewer", "lower", "low", "short", "small", "few", "insufficient"], "-"),
    **dict.fromkeys(["wrong", "different", "other", "else", "invalid", "bad", "change", "changed", "changes", "differ", "differs"], "!"),
    **dict.fromkeys(
        ["too", "or", "at", "than", "least", "most", "very", "already", "still", "just", "anything", "anyone", "everything", "else", "true", "valid", "okay", "ok", "length", "size", "count", "slice", "list", "array", "string", "input", "argument", "value", "values", "thing", "things", "there's", "that's", "it's", "case", "what", "we", "you"],
        "",
    ),
}  # fmt: skip
_SHORTEST = 3
_CONTRARY, _AFFIRMING = (
    re.compile(r"(?:dis|off|un|non|in)-?(?=\w{3})"),
    re.compile(r"(?:en|on)(?=\w{3})"),
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|n't|isn't|aren't|wasn't|doesn't|empty|missing|none|null|nil|undefined|falsy|false|unset|without|nothing)\b",
    re.IGNORECASE,
)
_NEGATIVE_CODE = re.compile(
    r"\bnot\b|!(?!=)|(?:\bis|==|===) ?(?:None|null|undefined|nil|False|false|0\b|\"\"|'')",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """An ``if`` that can be turned around.

    start, end: all its lines, and those of what comes first then. test: its condition. opening, closing: the lines around
    what comes first, ``closing`` empty in Python. first: the lines that come first, with the indentation inside. body: the
    lines of its body, without that.
    """

    start: int
    end: int
    test: str
    opening: str
    first: tuple[str, ...]
    closing: str
    body: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The new lines ``start .. end``."""
        return [self.opening, *self.first, *([self.closing] if self.closing else []), *self.body]


def return_early(intent: ReturnEarly, code: Code) -> Candidates | None:
    """The text with the early return, or the early ``continue``, as a certain candidate: a last ``if`` is turned
    around, and its body outdented; with ``intent.is_nested`` also each ``if`` that ends the body of the one before.

    ``None`` unless exactly one ``if`` ends a function of that name (of any, if it is empty), or a loop in it, has the
    intent's ``test`` in its condition, its ``guard`` as the condition of the early return, and its ``value`` in the
    last line of what comes first then, and can be turned around without another effect; also for a text that does not
    parse, has CR line ends, or is in another language than Python, C, Go, Java, JavaScript, Rust and TypeScript. Only
    loops count if ``intent.in_loop``; they also do if a function is named whose only ``if`` stands there.
    """
    if intent.is_nested:
        return _with_all_turned(intent, code)
    lines = code.lines
    if code.python is not None:
        found = _python_turns(code.python, intent)
    elif code.tree is not None and code.language in _ENDS:
        found = _tree_turns(code.tree, intent, code.language)
    else:
        return None
    turns = [
        turn
        for turn in found
        if _is_about(turn.test, intent.test)
        and intent.value in turn.first[-1]
        and _is_guarded_by(intent.guard, turn, code, is_turned=intent.is_turned)
        and _returns(intent.returned, turn)
        and _is_described_by(intent.described, turn, code)
    ]
    if len(turns) != 1 or any("\r" in line for line in lines):
        return None
    [turn] = turns
    new = [line + "\n" if line else "\n" for line in turn.lines]
    if not lines[turn.end - 1].endswith("\n"):
        new[-1] = new[-1].rstrip("\n")
    return Candidates(("".join([*lines[: turn.start], *new, *lines[turn.end :]]),), is_certain=True)


def _returns(words: str, turn: _Turn) -> bool:
    """Whether one of the words for what is returned first ("the usage message") stands in what ``turn`` does first; also
    for no words.
    """
    first = "\n".join(turn.first).lower()
    stems = [word.removesuffix("s") for word in re.findall(r"\w+", words.lower())]
    return not stems or any(re.search(rf"(?<![^\W_]){stem}s?(?![^\W_])", first) for stem in stems)


def _is_guarded_by(words: str, turn: _Turn, code: Code, *, is_turned: bool) -> bool:
    """Whether words for the condition of an early return say what ``turn`` tests first; also for no words.

    Code has to be that condition, white space and brackets aside. Else each word that says something has to be in the
    old condition, in what its variable was given last, or in its type, and both conditions have to be negative, or
    neither ("no match" and ``m is None``). Words such as "it is None" alone need a negative test first, which names
    ``None`` or ``null`` exactly if they do. ``False`` for words for two conditions ("and", "or"). is_turned: words may
    stand in none of these, and need not say whether ``None`` is named.
    """
    if not words:
        return True
    bare = re.sub(r"[\s()`]|;$", "", words).lower()
    guard = re.sub(r"[\s()]|^\s*(?:if|let)\b|[:{]\s*$", "", turn.opening.strip()).lower()
    if re.search(r"[=<>!&|\[\].(]", words) or re.search(r"\bis (?:not )?None\b", words):
        return bare == guard
    if re.search(r"\b(?:and|or)\b", words, re.IGNORECASE):
        return False
    named = re.match(r"(?:not |!)?([^\W\d]\w*)\b", turn.test.lstrip("("))
    given = ""
    if named:
        before = "".join(code.lines[: turn.start])
        given = next(reversed(re.findall(rf"\b{named[1]}\b[^=\n]*:?=(?!=)(.+)", before)), "")
        given += " " + " ".join(re.findall(rf"\b{named[1]}\??: ?([\w.]+)", before)[-1:])
    known = f"{turn.test} {given}".lower()
    rest = [word for word in re.findall(r"\w+", words.lower()) if word not in _SAYS_NOTHING]
    if not rest:
        is_none = re.search(r"\b(?:none|null|nil|undefined)\b", words, re.IGNORECASE)
        is_named = re.search(r"\b(?:None|null|nil|undefined)\b", turn.opening)
        is_same = is_turned or bool(is_none) == bool(is_named)
        return bool(_NEGATIVE_CODE.search(turn.opening)) and is_same
    stems = [word[:-1] if word[-1] == "s" and len(word) > 2 else word for word in rest]
    is_known = is_turned or all(
        re.search(rf"(?<![^\W_]){re.escape(stem)}s?(?![^\W_])", known) for stem in stems
    )
    return is_known and bool(_NEGATIVE.search(words)) == bool(_NEGATIVE_CODE.search(turn.opening))


def _is_described_by(words: str, turn: _Turn, code: Code) -> bool:
    """Whether words for the condition of an early return fit what ``turn`` tests first; also for no words.

    Code has to be that condition. Else each word has to be in the old condition, in what its variables were given last, or be one
    for a state of anything ("empty", "too high"); and what both say must not be the contrary of each other.
    """
    if not words.strip():
        return True
    if re.search(r"[=<>!&|\[\](]|\w\.\w", words):
        return _is_guarded_by(words, turn, code, is_turned=False)
    if re.search(r"\b(?:and|or)\b(?! (?:above|below|over|under|more|less))", words, re.IGNORECASE):
        return False
    known = f"{turn.test} {_given(turn, code)}".lower()
    known_words = set(
        re.findall(
            r"[^\W_]+",
            re.sub(r"(?<=[a-z])(?=[A-Z])", " ", f"{turn.test} {_given(turn, code)}").lower(),
        )
    )
    rest = [x for x in re.findall(r"[^\W_]\w*", words.lower()) if x not in _SAYS_NOTHING]
    unknown = [
        x for x in rest if not _is_in(x, known_words) and x not in _STATES and x not in known
    ]
    if unknown:
        return False
    return _agree(words, turn, known_words)


def _given(turn: _Turn, code: Code) -> str:
    """The code that the variables of a condition were given last before it."""
    before = "".join(code.lines[: turn.start])
    names = re.findall(r"[^\W\d]\w*", turn.test)
    found = (re.findall(rf"(?<![\w.]){name}\b[^=\n]*:?=(?!=)(.+)", before)[-1:] for name in names)
    return " ".join(x for given in found for x in given)


def _is_in(word: str, known: set[str]) -> bool:
    """Whether a word, or its beginning or stem, is among the known ones: "length" for ``len``, "offline" for ``online``."""
    stem = re.sub(r"(?:ies|es|s)$", "", word) if len(word) > _SHORTEST else word
    bare = _CONTRARY.sub("", word)
    return any(
        stem in (x, x.removesuffix("s"))
        or (len(x) >= _SHORTEST and word.startswith(x))
        or (bare != word and bare == _AFFIRMING.sub("", x))
        for x in known
    )


def _agree(words: str, turn: _Turn, known: set[str]) -> bool:
    """Whether words and the test of an early return do not say the contrary of each other, as far as both say."""
    text = words.lower()
    is_denied = bool(
        re.search(
            r"\b(?:not|no|n't|isn't|aren't|doesn't|nothing|without|anything but)\b|n't\b", text
        )
    )
    states = [x for x in re.findall(r"\w+", text) if x in _STATES]
    contrary = any(_CONTRARY.match(x) and x not in known for x in re.findall(r"\w+", text))
    opening = turn.opening
    compared = re.search(r"(?<![-=<])([<>])=?(?![>\w<])", opening)
    is_turned = bool(re.match(r"\s*if \(?(?:!\(|not )", opening))
    if compared and not re.search(r"(?:==|<=) ?0\b", opening):
        directions = {_STATES[x] for x in states} - {""}
        direction = next(iter(directions), "") if len(directions) == 1 else ""
        if not direction or direction == "0":
            return not states or direction == "0"
        goes_up = (direction == "+") != is_denied
        return goes_up == ((compared[1] == ">") != is_turned)
    is_negative = bool(
        re.search(
            r"\bnot\b|!|(?:==|===|<=|\bis) ?(?:None|null|undefined|nil|False|false|0\b|\"\"|'')",
            opening,
        )
    )
    is_unequal = bool(re.search(r"!==?", opening))
    if is_unequal:
        return is_denied or any(_STATES[x] == "!" for x in states)
    says_not = (is_denied or contrary) != any(_STATES[x] in ("0", "-", "!") for x in states)
    return says_not == is_negative


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
            depth = max(1, len(_nested_at(_first_changed(code, turned), code)))
        depth -= 1
        code = read_code(turned.texts[0], code.language)
        if depth == 0:
            return turned
    return None


def _first_changed(code: Code, found: Candidates) -> int:
    """The number of the first line (0-based) in which the first candidate differs from the text."""
    pairs = zip(code.lines, found.texts[0].splitlines(keepends=True), strict=False)
    return next((at for at, (old, new) in enumerate(pairs) if old != new), len(code.lines))


def _nested_at(line: int, code: Code) -> list[tuple[int, int]]:
    """The ``if`` on a line (0-based) and those that each end the body of the one before, the outermost first, up to one
    with ``else``: the number of the line below the body of each (in braces of the closing one), and the number of
    statements in it. Empty if no ``if`` without ``else`` is on that line.
    """
    if code.python is not None:
        nodes = [
            x for x in ast.walk(code.python.tree) if isinstance(x, ast.If) and x.lineno == line + 1
        ]
        node = nodes[0] if nodes else None
        chain = []
        while node is not None and not node.orelse:
            chain.append((code.python.last(node.body[-1]) + 1, len(node.body)))
            last = node.body[-1]
            node = last if isinstance(last, ast.If) else None
        return chain
    if code.tree is None:
        return []
    tests = [
        x for x in code.tree.nodes("if_statement", "if_expression") if x.start_point[0] == line
    ]
    test = tests[0] if tests else None
    chain = []
    while test is not None and test.child_by_field_name("alternative") is None:
        block = test.child_by_field_name("consequence")
        inner = _statements(block) if block is not None else []
        if block is None or not inner:
            break
        chain.append((block.end_point[0], len(inner)))
        test = _test_of(inner[-1])
    return chain


def _with_rest_inside(intent: ReturnEarly, code: Code) -> tuple[Code, int]:
    """The code with the statement that follows the last ``if`` of the function once more at the end of the body of each
    nested ``if`` that ends with another, which does the same so that each can be turned around; and the number of
    nested ``if``, the innermost included.

    The code as it is, and 0, if nothing follows, or more than one line, or one that does not leave; if fewer than two
    ``if`` are nested, loops are meant, or not exactly one function has the name.
    """
    found = None if intent.in_loop else _last_test(intent.name or intent.location, code)
    if found is None:
        return code, 0
    line, rest = found
    chain = _nested_at(line, code)
    lines = list(code.lines)
    if len(chain) < _FEWEST_NESTED or rest == line or not _LEAVES.match(lines[rest].strip()):
        return code, 0
    outer = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    inside = lines[line + 1][: len(lines[line + 1]) - len(lines[line + 1].lstrip())]
    unit = inside.removeprefix(outer)
    copied = lines[rest]
    for depth, (end, _) in reversed([*enumerate(chain[:-1], start=1)]):
        lines.insert(end, f"{unit * depth}{copied}")
    return read_code("".join(lines), code.language), len(chain)


def _last_test(name: str, code: Code) -> tuple[int, int] | None:
    """The numbers of the lines (0-based) of the last ``if`` of the only function called ``name``, and of the one
    statement of one line behind it; the first number twice if nothing follows, or a statement of several lines.

    ``None`` if the name is empty, not exactly one function has it, it has no ``if`` at the top of its body, or several
    statements follow.
    """
    if code.python is not None:
        only = only_function(name, code) if name else None
        body = only[1].body if only else []
        at = next((n for n in range(len(body) - 1, -1, -1) if isinstance(body[n], ast.If)), -1)
        if at < 0 or len(body) - at > 2:
            return None
        first, last = code.python.first(body[at]), code.python.first(body[-1])
        return (
            (first, last)
            if at < len(body) - 1 and code.python.last(body[-1]) == last
            else (first, first)
        )
    if code.tree is None or not name:
        return None
    named = [
        block
        for node in code.tree.nodes(*_FUNCTIONS)
        if (label := node.child_by_field_name("name"))
        and code.tree.code(label) == name.rpartition(".")[2]
        if (block := node.child_by_field_name("body"))
    ]
    statements = _statements(named[0]) if len(named) == 1 else []
    tests = [n for n, node in enumerate(statements) if _test_of(node) is not None]
    if not tests or len(statements) - tests[-1] > 2:
        return None
    first, last = statements[tests[-1]].start_point[0], statements[-1].start_point[0]
    return (first, last) if statements[-1].end_point[0] == last else (first, first)


def _is_about(test: str, mentioned: str) -> bool:
    """Whether each word of ``mentioned`` is in the condition ``test``."""
    words = [word for word in re.findall(r"\w+", mentioned) if word not in ("not", "is", "in")]
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", test) for word in words)


def _without_indent(lines: Sequence[str], indent: str, unit: str) -> tuple[str, ...] | None:
    """``lines`` with one ``unit`` of indentation less after ``indent``, blank ones empty; ``None`` if a filled line
    does not begin with both.
    """
    moved = []
    for line in lines:
        if line.strip() and not line.startswith(indent + unit):
            return None
        moved.append(line and indent + line[len(indent + unit) :] if line.strip() else "")
    return tuple(moved)


# Python


def _python_turns(python: PythonText, intent: ReturnEarly) -> Iterator[_Turn]:
    """Yield what can be turned around in the Python functions of the intent's name (all if it is empty): the last
    ``if`` of the function, or of the ``with`` that ends it; those that end its loops if the intent speaks of loops, or
    if the function has none, is named, and has a single ``if``.
    """
    name = intent.name or intent.location
    functions = [x for x in python.definitions(name) if isinstance(x, Function)]
    for function in functions:
        body = function.body
        while isinstance(body[-1], ast.With | ast.AsyncWith):
            body = body[-1].body
        is_own = any(isinstance(x, ast.Yield | ast.YieldFrom) for x in ast.walk(function))
        inside = list(ast.walk(function))
        turn = None
        if not intent.in_loop:
            is_plain = not is_own and body is function.body
            may_repeat = bool(intent.described)
            turn = _python_turn(python, body, "return" if is_plain else "", may_repeat=may_repeat)
        tests = sum(isinstance(x, ast.If) for x in inside)
        if turn is not None:
            yield turn
        elif intent.in_loop or (name and tests == 1):
            loops = [x for x in inside if isinstance(x, ast.For | ast.AsyncFor | ast.While)]
            for loop in loops:
                if turn := _python_turn(python, loop.body, "continue"):
                    yield turn


def _python_turn(
    python: PythonText, body: list[ast.stmt], leaving: str, *, may_repeat: bool = False
) -> _Turn | None:
    """The last ``if`` of a block, with the condition turned around; ``None`` if that cannot be done: its condition is
    an assignment or goes over several lines, it shares its line, a string goes over several lines, or what comes first
    would do something else.

    leaving: the statement that comes first where nothing follows the ``if``; empty where no such one would do the same. may_repeat:
    a line that leaves and follows a body that does not may stand twice.
    """
    at = next((n for n in range(len(body) - 1, -1, -1) if isinstance(body[n], ast.If)), -1)
    node = body[at] if at >= 0 else None
    if not isinstance(node, ast.If) or isinstance(node.test, ast.NamedExpr):
        return None
    lines = [line.rstrip("\n") for line in python.lines]
    head, last = python.first(node), python.last(node.body[-1])
    after = re.fullmatch(
        r"\s*:\s*", python.text[python.span(node.test)[1] : python.line_start(head + 1)]
    )
    outer = python.indent(head)
    unit = python.indent(python.first(node.body[0])).removeprefix(outer)
    if python.last(node.test) != head or not after or not unit or lines[head].strip()[:3] != "if ":
        return None
    moved = _without_indent(lines[head + 1 : last + 1], outer, unit)
    end = python.last(body[-1]) + 1
    first = _python_first(python, node, body[at + 1 :], leaving)
    if moved is None or first is None or python.has_long_strings(head, end):
        return None
    opening = f"{outer}if {python_contrary(python, node.test)}:"
    if body[at + 1 :] and not _leaves(python.code(node.body[-1])):
        if not may_repeat:
            return None
        moved = (*moved, f"{outer}{first[0].strip()}")  # what follows the body, too
    return _Turn(head, end, python.code(node.test), opening, first, "", moved)


def _python_first(
    python: PythonText, node: ast.If, rest: list[ast.stmt], leaving: str
) -> tuple[str, ...] | None:
    """The lines that come first once ``node`` is turned around, indented: those of its ``else``, those after it, or
    else ``leaving``.

    ``None`` if that would do something else: an ``else`` has to leave the block at its end and be the last thing in it;
    lines after the ``if`` have to be fewer than its own, and both have to leave at their ends, or a single line that leaves follows;
    ``leaving`` may not be empty. rest: the statements after ``node``.
    """
    lines = [line.rstrip("\n") for line in python.lines]
    outer = python.indent(python.first(node))
    unit = python.indent(python.first(node.body[0])).removeprefix(outer)
    last = python.last(node.body[-1])
    leave = f"{outer}{unit}{leaving}"
    if node.orelse:
        begin = python.first(node.orelse[0])
        is_block = lines[last + 1 : last + 2] == [f"{outer}else:"] and begin > last + 1
        if rest or not is_block or lines[begin].strip()[:5] == "elif ":
            return None
        first = tuple(lines[last + 2 : python.last(node.orelse[-1]) + 1])
        return first if _leaves(python.code(node.orelse[-1])) else None
    if not rest:
        return (leave,) if leaving else None
    between = lines[last + 1 : python.last(rest[-1]) + 1]
    while between and not between[0].strip():
        between = between[1:]
    falls_through = not _leaves(python.code(node.body[-1]))
    is_short = len(between) < last - python.first(node) and not (falls_through and len(between) > 1)
    if not _leaves(python.code(rest[-1])) or not is_short:
        return None
    return tuple(unit + line if line.strip() else "" for line in between)


def _leaves(code: str) -> bool:
    """Whether nothing behind a statement runs: it returns, raises, or ends the program."""
    return _LEAVES.match(code) is not None


# Other languages


def _tree_turns(tree: Tree, intent: ReturnEarly, language: str) -> Iterator[_Turn]:
    """Yield what can be turned around in the functions in braces of the intent's name (all if it is empty): the last
    ``if`` of the function; those that end its loops if the intent speaks of loops, or if the function has none, is
    named, and has a single ``if``.
    """
    name = (intent.name or intent.location).rpartition(".")[2]
    for node in tree.nodes(*_FUNCTIONS, *_VALUES):
        label = _label_of(node)
        is_called_so = label is not None and re.search(
            rf"(?<!\w){re.escape(name)}(?!\w)", tree.code(label)
        )
        body = node.child_by_field_name("body")
        if body is None or (name and not is_called_so):
            continue
        inside = list(_below(body))
        turn = None
        if not intent.in_loop:
            leaving = f"return{_ENDS[language]}" if _is_void(tree, node, language) else ""
            turn = _tree_turn(tree, body, node, leaving, language)
        tests = sum(x.type in ("if_statement", "if_expression") for x in inside)
        if turn is not None:
            yield turn
        elif intent.in_loop or (name and tests == 1):
            for loop in inside:
                block = loop.child_by_field_name("body") if loop.type in _LOOPS else None
                if block is not None and (
                    turn := _tree_turn(tree, block, node, f"continue{_ENDS[language]}", language)
                ):
                    yield turn


def _label_of(function: Node) -> Node | None:
    """The node that names a function: its own name, or what a function that is a value is given to (``go`` of
    ``A.prototype.go = function``); ``None`` for one without a name.
    """
    if function.type not in _VALUES:
        return function.child_by_field_name("name") or function.child_by_field_name("declarator")
    parent = function.parent
    if parent is None or parent.type not in (
        "assignment_expression",
        "variable_declarator",
        "pair",
    ):
        return None
    label = next(filter(None, map(parent.child_by_field_name, ("left", "name", "key"))), None)
    return label and (label.child_by_field_name("property") or label)


def _below(node: Node) -> Iterator[Node]:
    """Yield all nodes below ``node``."""
    for child in node.children:
        yield child
        yield from _below(child)


def _tree_turn(
    tree: Tree, block: Node, function: Node, leaving: str, language: str
) -> _Turn | None:
    """The last ``if`` of a block with braces, with the condition turned around; ``None`` if that cannot be done: it has
    an initializer or an attribute, shares its lines, declares a name that stands elsewhere in ``function``, a string
    goes over several lines, or what comes first would do something else.

    leaving: the statement that comes first where nothing follows the ``if``; empty where no such one would do the same.
    """
    statements = _statements(block)
    tests = [n for n, node in enumerate(statements) if _test_of(node) is not None]
    if not tests:
        return None
    at = tests[-1]
    node = _test_of(statements[at])
    assert node is not None  # noqa: S101
    before = statements[at - 1] if at else None
    consequence = node.child_by_field_name("consequence")
    condition = node.child_by_field_name("condition")
    if before is not None and before.type == "attribute_item":
        return None  # it would be about the return alone
    if consequence is None or condition is None or node.child_by_field_name("initializer"):
        return None
    opening = _let_else(tree, condition)
    is_block = tree.code(consequence).startswith("{")
    if not is_block or (not opening and condition.type.startswith("let_")):
        return None
    lines = tree.text.split("\n")
    head, last = node.start_point[0], consequence.end_point[0]
    outer = lines[head][: len(lines[head]) - len(lines[head].lstrip())]
    inner = [line for line in lines[head + 1 : last] if line.strip()]
    is_alone = consequence.start_point[0] == head and lines[head].rstrip().endswith("{")
    if node.start_point[1] != len(outer.encode()) or not inner or not is_alone:
        return None
    unit = inner[0][: len(inner[0]) - len(inner[0].lstrip())].removeprefix(outer)
    moved = _without_indent(lines[head + 1 : last], outer, unit) if unit else None
    end = statements[-1].end_point[0] + 1
    start, stop = tree.span(node)[0], tree.span(statements[-1])[1]
    found = _tree_first(tree, node, statements[at + 1 :], leaving, outer, unit)
    has_own_names = _declares(tree, consequence, function)
    if moved is None or found is None or has_own_names or _has_long_strings(tree, start, stop):
        return None
    if any(line.startswith("#") for line in inner) or lines[last].lstrip()[:1] != "}":
        return None
    opening = opening or f"if {tree_contrary(tree, condition, language)} {{"
    closing = "};" if opening.startswith("let ") else "}"
    return _Turn(
        head, end, tree.code(condition), f"{outer}{opening}", found, f"{outer}{closing}", moved
    )


def _statements(block: Node) -> list[Node]:
    """The statements of a block, without comments."""
    inner = [x for x in block.named_children if "comment" not in x.type]
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = [x for x in inner[0].named_children if "comment" not in x.type]
    return inner


def _test_of(node: Node) -> Node | None:
    """The ``if`` that a statement is; ``None`` if it is another one."""
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return node if node.type in ("if_statement", "if_expression") else None


def _tree_first(
    tree: Tree, node: Node, rest: list[Node], leaving: str, outer: str, unit: str
) -> tuple[str, ...] | None:
    """The lines that come first once ``node`` is turned around, indented: those of its ``else``, those after it, or
    else ``leaving``.

    ``None`` if that would do something else: an ``else`` has to leave the block at its end and be the last thing in it;
    lines after the ``if`` have to be fewer than its own, and both have to leave at their ends; ``leaving`` may not be
    empty. rest: the statements after ``node``. outer, unit: the indentation of ``node``, and one level.
    """
    lines = tree.text.split("\n")
    consequence = node.child_by_field_name("consequence")
    assert consequence is not None  # noqa: S101
    last = consequence.end_point[0]
    inner = _statements(consequence)
    body_leaves = bool(inner) and _leaves(tree.code(inner[-1]))
    leave = f"{outer}{unit}{leaving}"
    if (alternative := node.child_by_field_name("alternative")) is not None:
        block = alternative
        if alternative.type == "else_clause":
            block = alternative.named_children[-1]
        is_block = tree.code(block).startswith("{") and lines[last].strip() == "} else {"
        others = _statements(block) if is_block else []
        if rest or not others or lines[block.end_point[0]].strip() not in ("}", "};"):
            return None
        first = tuple(lines[last + 1 : block.end_point[0]])
        return first if _leaves(tree.code(others[-1])) else None
    if lines[last].strip() not in ("}", "};"):
        return None
    if not rest:
        return (leave,) if leaving else None
    between = lines[last + 1 : rest[-1].end_point[0] + 1]
    while between and not between[0].strip():
        between = between[1:]
    size = last - node.start_point[0] - 1
    if not (body_leaves and _leaves(tree.code(rest[-1]))) or len(between) >= size:
        return None
    return tuple(unit + line if line.strip() else "" for line in between)


def _let_else(tree: Tree, condition: Node) -> str:
    """``let Some(a) = b else {`` for Rust's ``if let Some(a) = b {``; empty for anything else.

    A temporary value of ``b``, such as a lock, lives until the end of an ``if let``, but not of a ``let``: so a ``b`` that
    makes one gives the empty text, too.
    """
    pattern, value = (condition.child_by_field_name(field) for field in ("pattern", "value"))
    if condition.type != "let_condition" or pattern is None or value is None:
        return ""
    if pattern.type == "or_pattern" or not _MAKES_NOTHING.fullmatch(tree.code(value)):
        return ""
    return f"let {tree.code(pattern)} = {tree.code(value)} else {{"


def _is_void(tree: Tree, function: Node, language: str) -> bool:
    """Whether a bare ``return`` at the end of the function does the same as its end.

    In C and Java its type must be ``void``, in Go and Rust it must have no result type; in JavaScript and TypeScript
    all but generators count, since their declarations do not tell.
    """
    if language in ("java", "c"):
        kind = function.child_by_field_name("type")
        declarator = function.child_by_field_name("declarator")
        is_pointer = declarator is not None and declarator.type == "pointer_declarator"
        return kind is not None and tree.code(kind) == "void" and not is_pointer
    if language == "go":
        return function.child_by_field_name("result") is None
    if language == "rust":
        return function.child_by_field_name("return_type") is None
    code = tree.code(function)
    return not re.match(r"(?:async )?(?:function\s*\*|\*)", code)


def _has_long_strings(tree: Tree, start: int, end: int) -> bool:
    """Whether a string or comment between these offsets goes over line ends."""
    return any(
        node.start_point[0] != node.end_point[0] and start <= tree.offset(node.start_byte) < end
        for node in tree.nodes()
        if ("string" in node.type or "comment" in node.type) and node.type != "string_fragment"
    )


def _declares(tree: Tree, block: Node, function: Node) -> bool:
    """Whether a name that is declared at the top of ``block`` stands in the function outside of it, too, be it as any
    word.
    """
    inner = block.named_children
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = inner[0].named_children
    own: set[str] = set()
    waiting = [x for x in inner if x.type in _DECLARING]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type == "binary_expression":
            continue  # its left side is a value
        for field in ("name", "pattern", "left", "declarator"):
            part = node.child_by_field_name(field)
            if part is not None and "=" not in (code := tree.code(part)):
                own.update(re.findall(r"[^\W\d]\w*", code))
    start, end = tree.span(function)
    first, last = tree.span(block)
    outside = tree.text[start:first] + tree.text[last:end]
    return bool(own & set(re.findall(r"[^\W\d]\w*", outside)))
