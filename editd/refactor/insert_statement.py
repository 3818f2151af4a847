"""Writes a statement at the top or end of a function, or beside another statement; also one that logs a text or a variable.

a.py, "add print('start') at the top of run"::

    def run(path):
        load(path)

becomes::

    def run(path):
        print('start')
        load(path)

a.js, "log 'saving' before the writeFile call"::

    function save(path) {
      fs.writeFile(path);
    }

becomes::

    function save(path) {
      console.log("saving");
      fs.writeFile(path);
    }

a.py, "log the path at debug level in run"::

    import logging

    def run(path):
        load(path)

becomes::

    import logging

    def run(path):
        logging.debug("path: %s", path)
        load(path)
"""

from __future__ import annotations

import ast
import re

from editd.intent.intents import InsertStatement
from editd.refactor.candidates import Candidates
from editd.refactor.loggers import log_call, python_logger, with_python_logger
from editd.refactor.python_function import body_start, only_function
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.places import place_of
from editd.syntax.python_text import Function, PythonText, docstring_of
from editd.syntax.statements import statement_at

_LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break
_FUNCTIONS = (
    "function_declaration", "method_definition", "method_declaration", "function_item", "function_definition",
)  # fmt: skip


def insert_statement(intent: InsertStatement, code: Code) -> Candidates | None:
    """The text with the statement (the intent's code, or a log call of its text or its variable) at the top or end of a
    function or beside another statement, as a certain candidate; Python's log calls with the import and definition of a
    logger that is missing.

    ``None`` if not exactly one function or statement is named; if the place is behind ``return``, ``raise`` and the
    like, or behind a block; if the code does not parse (Python), no log call is known for the language, or the variable
    is neither a parameter nor assigned once; if a Python logger has no place or is defined below; or if the text has no
    final line end.
    """
    name = intent.function or intent.location
    if not code.text.endswith("\n"):
        return None
    if intent.variable:
        return _with_variable(intent, name, code)
    line, indent = _line(intent, name, code)
    statement = _statement(intent, code)
    if line < 0 or statement is None:
        return None
    return _written(code, line, f"{indent}{statement}\n", logs=bool(intent.text))


def _written(code: Code, line: int, statement: str, *, logs: bool) -> Candidates | None:
    """The text with ``statement``, a whole indented line, above ``line`` (0-based), as a certain candidate; also with
    the logger that a Python text lacks, if the statement logs (``logs``, or it is a call of ``log``, ``logger`` or
    ``logging``). ``None`` if the logger's import has no place, or the logger is defined below ``line``.
    """
    text: str | None = "".join([*code.lines[:line], statement, *code.lines[line:]])
    named = re.match(r"\s*(log|logger|logging)\.", statement)
    is_missing = named is not None and named[1] not in code.names
    if (logs or is_missing) and code.python is not None and text is not None:
        logger = python_logger(code.python.tree, named[1] if named and is_missing else "")
        if logger.line is not None and line < logger.line:
            return None
        text = with_python_logger(text, logger)
    return None if text is None else Candidates((text,), is_certain=True)


def _statement(intent: InsertStatement, code: Code) -> str | None:
    """The statement as it is written, without indentation: the intent's code, with a semicolon in languages that have
    them if lines of the text end with one; or, if the intent has a text, a log call of it. ``None`` for code that is no
    Python in a Python text, and where no log call is known for the language.
    """
    if not intent.text:
        statement = intent.code
        ends = code.language in (*SCRIPTS, "java", "rust", "c") and ";\n" in code.text
        if ends and not statement.endswith(";"):
            statement += ";"
        if code.python is not None:
            try:
                ast.parse(statement)
            except (SyntaxError, ValueError):
                return None
        return statement
    if code.python is None:
        return log_call(code, intent.level, intent.text)
    logger = python_logger(code.python.tree)
    return f'{logger.name}.{intent.level or "info"}("{intent.text}")'


def _line(intent: InsertStatement, name: str, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which the statement goes, and its indentation: beside the statement
    ``intent.anchor`` inside the definition ``name``, or the text, if that is empty; without an anchor at the top or end
    of the function ``name`` (Python: of the only one, if that is empty).

    ``-1`` if not exactly one definition has the name, not exactly one statement is the anchor, or the place is behind a
    block or behind ``return``, ``raise`` and the like.
    """
    nowhere = (-1, "")
    if intent.anchor:
        place = place_of(name, code.text, code.language) if name else None
        if name and place is None:
            return nowhere
        target = statement_at(intent.anchor, code, place)
        if target is None or (intent.where == "after" and target.is_block):
            return nowhere
        if intent.where == "after" and isinstance(target.node, _LEAVING):
            return nowhere
        return (target.end if intent.where == "after" else target.start), target.indent
    if code.python is not None:
        return _python_line(intent, name, code)
    return _brace_line(intent, name, code)


def _python_line(intent: InsertStatement, name: str, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which a statement at the top or end of a Python function goes, and its
    indentation. At the top is below the docstring. Without a name: of the text's only function.

    ``-1`` if the text has no function of that name or several, its body stands on the line of its head, or the end is
    asked for and its last statement leaves it (``return``, ``raise`` …).
    """
    only = only_function(name, code)
    start = body_start(*only) if only else None
    if only is None or start is None:
        return -1, ""
    python, function = only
    if intent.where == "end":
        last = function.body[-1]
        return (-1 if isinstance(last, _LEAVING) else python.last(last) + 1), start[1]
    docstring = docstring_of(function)
    if docstring is None:
        return python.first(function.body[0]), start[1]
    return python.last(docstring) + 1, start[1]


def _brace_line(intent: InsertStatement, name: str, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which a statement at the top or end of a function in braces goes, and its
    indentation.

    ``-1`` if not exactly one function has the name, its body has no lines of its own, begins with a blank one, or ends
    otherwise than with a brace alone on a line; for the end also if its last line leaves the function or loop
    (``return``, ``throw`` …), and in Rust.
    """
    tree = code.tree
    bodies = (
        []
        if tree is None
        else [
            body
            for node in tree.nodes(*_FUNCTIONS)
            if (label := node.child_by_field_name("name"))
            and tree.code(label) == name.rpartition(".")[2]
            if (body := node.child_by_field_name("body"))
        ]
    )
    if len(bodies) != 1:
        return -1, ""
    start, end = bodies[0].start_point[0] + 1, bodies[0].end_point[0]
    lines = code.lines
    if start >= end or not lines[start].strip() or lines[end].strip() != "}":
        return -1, ""
    indent = lines[start][: -len(lines[start].lstrip())]
    leaves = re.match(r"\s*(?:return|throw|panic|break|continue)\b", lines[end - 1])
    if intent.where == "end":
        return (-1 if leaves or code.language == "rust" else end), indent
    return start, indent


def _with_variable(intent: InsertStatement, name: str, code: Code) -> Candidates | None:
    """A Python text, as a certain candidate, that logs a parameter where the intent says (the function's top or end),
    or any other variable right below its only assignment.

    ``None`` if not exactly one function has the name, or ``name`` is empty, its body is on the line of its head, or the
    end is asked for and it leaves there; if the variable is neither a parameter nor assigned once at the top of the
    body; or if its logger has no place.
    """
    only = only_function(name, code) if name else None
    if only is None:
        return None
    python, function = only
    variable = intent.variable
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if any(x.arg == variable for x in parameters):
        line, indent = _python_line(intent, name, code)
    else:
        line, indent = _behind_assignment(variable, function, python)
    if line < 0:
        return None
    logger = python_logger(python.tree)
    statement = f'{indent}{logger.name}.{intent.level or "info"}("{variable}: %s", {variable})\n'
    return _written(code, line, statement, logs=True)


def _behind_assignment(variable: str, function: Function, python: PythonText) -> tuple[int, str]:
    """The number of the line (0-based) below the only statement that gives the variable a value, and that statement's
    indentation; ``-1`` if there are several, or it is no plain assignment at the top of the function's body.
    """
    stored = [
        x
        for x in ast.walk(function)
        if isinstance(x, ast.Name) and x.id == variable and not isinstance(x.ctx, ast.Load)
    ]
    for node in function.body:
        if len(stored) == 1 and isinstance(node, ast.Assign) and stored[0] in node.targets:
            return python.last(node) + 1, python.indent(python.first(node))
    return -1, ""
