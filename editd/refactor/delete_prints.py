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
"""

from __future__ import annotations

import re

from editd.intent.intents import DeletePrints
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, whole_lines, with_spans
from editd.refactor.delete_lines import BRACELESS_PARENTS
from editd.refactor.prints import (
    PRINTING_CALLS,
    defines_print,
    has_effect,
    printing_calls,
    statement_of,
)
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_scopes import redefines
from editd.syntax.python_text import Statement, call_of, written
from editd.syntax.statements import BLOCKS

_EFFECTS = "prints whose values do more"
_TERMINAL = ("sys.stderr", "sys.stdout", "stderr", "stdout", "None")


def delete_prints(intent: DeletePrints, instruction: str, code: Code) -> Candidates | None:
    """The text without its statements that print, as a certain candidate; calls in other places, Python's prints to
    files, and those whose arguments do more, as ``print(queue.pop())``, stay and are named as left alone. With ``intent.text`` only the one statement that has that text in it. In
    scripts an ``instruction`` that names methods (``console.debug``) means these, else ``console.log``.

    ``None`` if not exactly one has the text, the language has no known prints, the text does not parse or defines a
    function that is called like one, or ``instruction`` names another language's calls. The text itself, if nothing can be deleted:
    certain if no word in it looks like a print; uncertain if a call stands where it cannot be deleted, or in the
    arguments of a macro (Rust).
    """
    text, language = code.text, code.language
    names = {
        name: re.search(rf"\b{name}", instruction, re.IGNORECASE)
        for name in ("console", "printf", "println")
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
        to_files = [node for node in prints if _is_to_a_file(node)]
        stays += [(*python.span(node), "") for node in to_files]
        effective = [x for x in prints if x not in to_files and has_effect(python.code(x))]
        staying += [(*python.span(node), "") for node in effective]
        removed = [node for node in prints if node not in (*to_files, *effective)]
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


def _is_to_a_file(node: Statement) -> bool:
    """Whether a statement is a print that may write to something else than the terminal: its ``file`` is neither
    ``None`` nor ``stdout`` or ``stderr`` (with or without ``sys.``), or it has ``**``.
    """
    call = call_of("print", node)
    files = (
        [argument for argument in call.keywords if argument.arg in ("file", None)] if call else []
    )
    return any(written(argument.value) not in _TERMINAL for argument in files)
