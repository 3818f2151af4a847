"""Deletes statements that print; a block that would be empty gets a statement that does nothing.

a.py, "delete the prints"::

    if ready:
        print("ready")
    print("to a file", file=log)

becomes::

    if ready:
        pass
    print("to a file", file=log)

a.js, "remove the console.logs"::

    start();
    console.log("started");

becomes::

    start();

a.sh, "remove the debug echo"::

    make
    echo "debug: made"

becomes::

    make
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import DeletePrints
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, whole_lines, with_spans
from editd.refactor.delete_lines import BRACELESS_PARENTS
from editd.refactor.prints import (
    PRINTING_CALLS,
    defines_print,
    has_effect,
    is_to_a_file,
    printing_calls,
    statement_of,
)
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_scopes import redefines
from editd.syntax.python_text import PythonText, Statement, call_of
from editd.syntax.statements import BLOCKS
from editd.syntax.trees import Node, Tree

_SHELLS = ("bash", "zsh")
_ECHO = re.compile(
    r"\s*echo\b(?:\"(?:[^\"\\$`]|\\.|\$(?![(]))*\"|'[^']*'|[^\"'|<>&;`()\\\n]|\\[^\n])*\n?"
)
_OPENED, _CLOSED = (
    re.compile(r"(?:\{|\bthen|\bdo|\belse|\))\s*$"),
    re.compile(r"\s*(?:\}|fi\b|done\b|else\b|elif\b|;;)"),
)
_PRINT_MACROS = r"e?print(?:ln)?"
_EFFECTS = "prints whose values do more"


def delete_prints(intent: DeletePrints, instruction: str, code: Code) -> Candidates | None:
    """The text without its statements that print, as a certain candidate; calls in other places, Python's prints to
    files, and those whose arguments do more, as ``print(queue.pop())``, stay and are named as left alone. With ``intent.with_check`` only those that are all of an ``if`` go, with it. With ``intent.text`` only the one statement that has that text in it. In
    scripts an ``instruction`` that names methods (``console.debug``) means these, else ``console.log``.

    ``None`` if not exactly one has the text, the language has no known prints, the text does not parse or defines a
    function that is called like one, or ``instruction`` names another language's calls. The text itself, if nothing can be deleted:
    certain if no word in it looks like a print; uncertain if a call stands where it cannot be deleted, or in the
    arguments of a macro (Rust).
    """
    text, language = code.text, code.language
    if language in _SHELLS:
        return _without_echos(intent, code)
    names = {
        name: re.search(rf"\b{name}{rest}", instruction, re.IGNORECASE)
        for name, rest in {"console": r"(?:\.|[- ]?logs?\b)", "printf": "", "println": ""}.items()
    }
    if language == "python":
        return None if any(names.values()) else _without_python_prints(intent, code)
    tree = code.tree
    pattern = PRINTING_CALLS.get("javascript" if language in SCRIPTS else language)
    if tree is None or pattern is None:
        return None
    methods = re.findall(r"\bconsole\.(log|debug|info|warn|error|trace)s?\b", instruction)
    if methods and language in SCRIPTS:
        pattern = rf"console\.(?:{'|'.join(sorted({*methods}))})"
    if language == "rust" and (macros := re.findall(r"\b(dbg|e?print(?:ln)?)!?\b", instruction)):
        pattern = "dbg" if {*macros} == {"dbg"} else pattern if "dbg" in macros else _PRINT_MACROS
    if any(found and not _is_spelled(name, pattern) for name, found in names.items()):
        return None
    if defines_print(code, pattern):
        return None
    spans: Spans = []
    stays: Spans = []
    staying: Spans = []
    calls = list(printing_calls(tree, pattern))
    if language == "rust" and len(calls) < sum(
        bool(re.fullmatch(pattern, tree.code(node))) for node in tree.nodes("identifier")
    ):
        return Candidates((text,))  # inside another macro, whose syntax nobody knows
    if intent.text:
        calls = [call for call in calls if intent.text in tree.code(call)]
        if len(calls) != 1:
            return None
    for call in calls:
        statement = statement_of(call)
        if statement is None:
            stays.append((*tree.span(call), ""))
        elif has_effect(tree.code(call)):
            staying.append((*tree.span(call), ""))
        elif intent.with_check:
            if check := _check_around(statement, tree):
                start, end = tree.span(check)
                spans.append(whole_lines(text, start, end) or (start, end, ""))
        elif statement.parent is None or statement.parent.type not in BLOCKS:
            if statement.parent is None or statement.parent.type not in BRACELESS_PARENTS:
                return Candidates((text,))  # between directives of a preprocessor, in a label
            spans.append((*tree.span(statement), "{}"))
        else:
            start, end = tree.span(statement)
            spans.append(whole_lines(text, start, end) or (start, end, ""))
    if not spans:
        is_certain = bool(staying) or not re.search(r"console\.|print|System\.out", text)
        left_alone = mentions_by_kind(text, (_EFFECTS, staying))
        return Candidates((text,), is_certain=is_certain, left_alone=left_alone)
    what = mentions_by_kind(text, ("other places", stays), (_EFFECTS, staying))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)


def _without_echos(intent: DeletePrints, code: Code) -> Candidates | None:
    """A shell script without the lines that are an ``echo`` to the terminal and nothing else, as a certain candidate; with
    ``intent.text`` only the one that has it.

    One that is all of a block stays. ``None`` if there is none, or not exactly one has the text.
    """
    lines = code.lines
    found = [
        n
        for n, line in enumerate(lines)
        if _ECHO.fullmatch(line)
        and n not in code.quoted_lines
        and intent.text in line
        and not (_OPENED.search("".join(lines[:n])) and _CLOSED.match("".join(lines[n + 1 :])))
    ]
    if not found or (intent.text and len(found) != 1):
        return None
    rest = (line for n, line in enumerate(lines) if n not in found)
    return Candidates(("".join(rest),), is_certain=True)


def _is_spelled(name: str, pattern: str) -> bool:
    """Whether a language whose calls that print are spelled as ``pattern`` has one of this name."""
    spellings = (f"{name}.log", name, f"fmt.{name.capitalize()}", f"System.out.{name}")
    return name in pattern or any(re.fullmatch(pattern, spelling) for spelling in spellings)


def _without_python_prints(intent: DeletePrints, code: Code) -> Candidates | None:
    """A Python text without its statements that print, first with ``pass`` in emptied blocks, then without; those that
    print to a file, or whose arguments do more, stay and are named as left alone. With ``intent.text`` only the one that has it. Certain if they
    share no line and there are some, or the word is nowhere.

    ``None`` if the text does not parse, defines a ``print``, or the intent has a ``text`` that not exactly one print
    has.
    """
    text = code.text
    python = code.python
    if python is None or redefines("print", python):
        return None
    spans: Spans = []
    stays: Spans = []
    staying: Spans = []
    is_alone = True
    for body in python.bodies():
        prints = [
            node for node in body if call_of("print", node) and intent.text in python.code(node)
        ]
        to_files = [node for node in prints if is_to_a_file(node)]
        stays += [(*python.span(node), "") for node in to_files]
        effective = [x for x in prints if x not in to_files and has_effect(python.code(x))]
        staying += [(*python.span(node), "") for node in effective]
        removed = [node for node in prints if node not in (*to_files, *effective)]
        if intent.with_check:
            spans += _checks_around(removed, body, python)
            continue
        for node in removed:
            is_alone = is_alone and python.is_alone(node)
            first = python.first(node)
            left = f"{python.indent(first)}pass\n" if removed == body and node is body[-1] else ""
            is_module = body is python.tree.body
            start, end = python.line_start(first), python.line_start(python.last(node) + 1)
            spans.append((start, end, "" if is_module else left))
    if intent.text and len(spans) != 1:
        return None
    bare = with_spans(text, [(start, end, "") for start, end, _ in spans])
    texts = dict.fromkeys((with_spans(text, spans), bare))
    return Candidates(
        tuple(texts),
        is_alone and bool(spans or stays or staying or "print" not in text),
        mentions_by_kind(text, ("prints to a file", stays), (_EFFECTS, staying)),
    )


def _checks_around(
    removed: Sequence[Statement], body: Sequence[Statement], python: PythonText
) -> Spans:
    """The span of the ``if`` in Python whose body these prints are; none if there is more in it, it has an ``else``, it is all of a block, or its
    condition does more than compare.
    """
    check = python.check_of(body) if removed and list(removed) == list(body) else None
    if check is None or has_effect(f"({python.code(check.test)})"):
        return []
    return [(python.line_start(python.first(check)), python.line_start(python.last(check) + 1), "")]


def _check_around(statement: Node, tree: Tree) -> Node | None:
    """The ``if`` statement whose body is nothing but this one; ``None`` if there is none, it has an ``else`` or is one, or its condition does
    more than compare.
    """
    inner = statement
    while inner.parent is not None and inner.parent.type in (*BLOCKS, "statement_list"):
        others = [x for x in inner.parent.named_children if "comment" not in x.type]
        if len(others) != 1:
            return None
        inner = inner.parent
    check = inner.parent
    if (
        check is None
        or not check.type.startswith("if_")
        or check.child_by_field_name("alternative")
    ):
        return None
    condition = check.child_by_field_name("condition")
    is_else = check.parent is not None and check.parent.type.startswith(("else", "if_"))
    if is_else or condition is None or has_effect(f"({tree.code(condition)})"):
        return None
    outer = check.parent
    return outer if outer is not None and outer.type == "expression_statement" else check
