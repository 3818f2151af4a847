"""Deletes the lines that contain a text; a block that would be empty gets a statement that does nothing.

a.py, "delete the lines that contain log.debug"::

    if ready:
        log.debug("ready")
    start()

becomes::

    if ready:
        pass
    start()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.units import units_of
from editd.syntax.words import as_word

BRACELESS_PARENTS = frozenset(
    """
    if_statement else_clause for_statement for_in_statement while_statement do_statement enhanced_for_statement with_statement
    """.split()  # noqa: SIM905
)
"""Nodes that can have a single statement as their body, without braces."""
_WITH_BRACES = ("statement_block", "compound_statement", "block_statement")


def drop_lines(lines: Sequence[str], numbers: Iterable[int]) -> str:
    """The text of ``lines`` without those at ``numbers`` (0-based)."""
    dropped = set(numbers)
    return "".join(line for number, line in enumerate(lines) if number not in dropped)


def delete_lines(searched: str, code: Code, *, is_single: bool = False) -> Candidates:
    """Up to four candidates: the text without the lines that have ``searched`` as a word, and without those that have
    it anywhere, each with a statement that does nothing in emptied blocks; then both without such statements.

    Certain if these are the same lines, and none is a part of a statement of which other lines stay. The text itself,
    certain, if no line has it. is_single: the request speaks of a single line, so that several are not certain.
    """
    text = code.text
    lines = code.lines
    word = as_word(searched)
    by_word = [number for number, line in enumerate(lines) if word.search(line)]
    by_text = [number for number, line in enumerate(lines) if searched in line]
    found = [numbers for numbers in (by_word, by_text) if numbers]
    texts = [drop_statements(code, numbers) for numbers in found]
    texts += [drop_lines(lines, numbers) for numbers in found]
    is_certain = by_word == by_text and not (is_single and len(by_word) > 1)
    is_certain = is_certain and not _cuts_a_statement(code, by_word)
    return Candidates(tuple(dict.fromkeys(texts)) or (text,), is_certain)


def _cuts_a_statement(code: Code, numbers: Sequence[int]) -> bool:
    """Whether one of the lines is a part of a statement without a block, other lines of which stay; ``False`` if the
    text does not parse. In a language without a parser: whether the lines open another number of brackets than they
    close.
    """
    dropped = set(numbers)
    if code.parses is None:
        text = "".join(code.lines[number] for number in numbers)
        return any(text.count(a) != text.count(b) for a, b in ("{}", "()", "[]"))
    units = units_of(code) if code.parses else []
    for number in numbers:
        around = [unit for unit in units if unit.start <= number < unit.end]
        if around:
            unit = min(around, key=lambda unit: unit.end - unit.start)
            if not unit.has_block and not dropped.issuperset(range(unit.start, unit.end)):
                return True
    return False


def drop_statements(code: Code, numbers: Sequence[int]) -> str:
    """The text without these lines (0-based numbers), with ``pass`` or ``{}`` where a block or a
    condition had nothing else. Text that does not parse only loses the lines.
    """
    language = code.language
    lines, dropped = code.lines, set(numbers)
    new = ["" if number in dropped else line for number, line in enumerate(lines)]
    emptied = _python_blocks(code, dropped) if language == "python" else _lone(code, dropped)
    for line in emptied:
        indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
        end = "\n" if lines[line].endswith("\n") else ""
        new[line] = f"{indent}{'pass' if language == 'python' else '{}'}{end}"
    return "".join(new)


def _python_blocks(code: Code, dropped: set[int]) -> Iterator[int]:
    """Yield the first line of each block, other than the module, of which all lines are dropped,
    but not its head; none if the text does not parse.
    """
    python = code.python
    for body in python.bodies() if python else ():
        assert python is not None  # noqa: S101
        if body is python.tree.body:
            continue
        numbers = {n for node in body for n in range(python.first(node), python.last(node) + 1)}
        first = min(numbers)
        head = next((n for n in range(first - 1, -1, -1) if python.lines[n].strip()), -1)
        while head >= 0 and python.lines[head].lstrip().startswith("#"):
            head -= 1
        if numbers <= dropped and head not in dropped:
            yield first


def _lone(code: Code, dropped: set[int]) -> Iterator[int]:
    """Yield the line of each dropped statement that is all of a condition or loop without braces,
    whose head stays; none without a syntax tree.
    """
    tree = code.tree
    for node in tree.nodes() if tree is not None else ():
        parent = node.parent
        if parent is None or parent.type not in BRACELESS_PARENTS or node.type in _WITH_BRACES:
            continue
        numbers = range(node.start_point[0], node.end_point[0] + 1)
        is_all = node.type.endswith("statement") and dropped.issuperset(numbers)
        if is_all and parent.start_point[0] not in dropped:
            yield node.start_point[0]
