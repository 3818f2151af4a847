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
from collections.abc import Sequence
from dataclasses import replace

from editd.intent.intents import InsertStatement
from editd.refactor.brace_function import FUNCTIONS, functions_of
from editd.refactor.candidates import Candidates
from editd.refactor.described_statement import described_statement
from editd.refactor.loggers import SETUP, is_silent, log_call, python_logger, with_python_logger
from editd.refactor.python_function import body_start, only_function
from editd.syntax.block_bodies import block_body
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.places import Place, place_of
from editd.syntax.python_places import parameter_names
from editd.syntax.python_text import Function, PythonText, docstring_of
from editd.syntax.trees import Node

_LOGGER = re.compile(
    r"(?:\w+\.)*\w*log\w*\.(?:debug|info|warning|warn|error|exception|critical)", re.IGNORECASE
)
"""A logger's method, which is no variable to log."""
_LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break
_INNER = ("arrow_function", "function_expression", "func_literal", "lambda_expression", "closure_expression", "class_declaration")  # fmt: skip


def insert_statement(
    intent: InsertStatement, code: Code, *, is_at_returns: bool = False
) -> Candidates | None:
    """The text with the statement (the intent's code, or a log call of its text, of variables or of the function's
    call) at the top or end of a function or beside another statement, as a certain candidate; Python's log calls with
    the import and definition of a logger that is missing.

    ``None`` if not exactly one function or statement is named; if the place is behind ``raise`` and the like, or behind
    a block; if the code does not parse (Python), no log call is known for the language, or a variable is none of the
    function's, or has neither a place that is named nor one of its own; if a Python logger has no place or is defined
    below; if it logs variables or the call at the end of a function that returns elsewhere, too; or if the text has no
    final line end.

    is_at_returns: the words speak of returning, so that any statement has to stand at each return.
    """
    if _LOGGER.fullmatch(intent.variable):
        intent = replace(intent, logger=intent.variable, variable="")
    name = intent.function or intent.location
    if not code.text.endswith("\n"):
        return None
    is_at_returns = is_at_returns or bool(intent.variable) or intent.is_of_call
    if intent.where == "end" and not intent.anchor and is_at_returns and leaves_early(name, code):
        return None
    names = _variables(intent, name, code)
    if names is None:
        return None
    line, indent = line_of(intent, code)
    if intent.variable and intent.where == "top" and not intent.anchor:
        line, indent = _line_of_variables(intent, names, name, code)
    statement = _statement(intent, names, name, code)
    if line < 0 or statement is None:
        return None
    return _written(code, line, f"{indent}{statement}\n", logs=not intent.code)


def insert_above(intent: InsertStatement, line: int, indent: str, code: Code) -> Candidates | None:
    """The text with the statement, whose place in the intent does not count, above ``line`` (0-based), as a certain candidate; ``None`` as
    ``insert_statement``.
    """
    statement = _statement(intent, intent.variable.split(", ") if intent.variable else [], "", code)
    if statement is None or not code.text.endswith("\n"):
        return None
    return _written(code, line, f"{indent}{statement}\n", logs=not intent.code)


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
    if text is None:
        return None
    level = statement.strip().split("(")[0].rpartition(".")[2]
    is_log = (logs or is_missing) and code.python is not None
    assumed = is_log and is_silent(code, level)
    return Candidates((text,), is_certain=True, assumptions=((SETUP, (line,)),) if assumed else ())


def _statement(
    intent: InsertStatement, variables: Sequence[str], name: str, code: Code
) -> str | None:
    """The statement as it is written, without indentation: the intent's code, with a semicolon in languages that have
    them if lines of the text end with one; or, if it has none, a log call of its text, the variables, or both, or
    (``is_of_call``) of ``name`` having been called or, at its end, finished.

    ``None`` for code that is no Python in a Python text, where no log call is known for the language, and for a logger
    that the intent names and the text does not have ("log" and "logger" aside).
    """
    if intent.code:
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
    words = intent.text
    if intent.is_of_call:
        done = "finished" if intent.where == "end" else "called"
        words = f"{name.rpartition('.')[2]} {done}"
    if code.python is None:
        return log_call(code, intent.level, words, variables, intent.logger)
    base = intent.logger.rpartition(".")[0]
    if base not in ("", "log", "logger") and base not in code.names:
        return None
    logger = python_logger(code.python.tree, base)
    function = f"{logger.name}.{intent.level or 'info'}"
    if not variables:
        mark = "'" if code.text.count("'") > code.text.count('"') else '"'
        return f"{function}({mark}{words}{mark})"
    fields = ", ".join(f"{variable}: %s" for variable in variables)
    if words:
        fields = f"{words}: {', '.join('%s' for _ in variables)}"
    return f'{function}("{fields}", {", ".join(variables)})'


def _variables(intent: InsertStatement, name: str, code: Code) -> list[str] | None:
    """The variables that the intent names, which may be members (``a.b``); for ``*`` the parameters of the function
    ``name``. Empty if it names none.

    ``None`` if the function has not all of their first names, ``*`` stands for no parameter, or not exactly one
    function is called so.
    """
    if not intent.variable:
        return []
    known, names = _names_in(name, code)
    variables = known if intent.variable == "*" else intent.variable.split(", ")
    roots = {variable.split(".")[0] for variable in variables}
    return list(variables) if variables and roots <= {*names, *known} else None


def _names_in(name: str, code: Code) -> tuple[list[str], set[str]]:
    """The parameters of the function ``name``, and all names in it (in braces: all words); both empty if the name is
    empty, or not exactly one function is called so.
    """
    if code.python is not None:
        only = only_function(name, code) if name else None
        if only is None:
            return [], set()
        inside = ast.walk(only[1])
        return parameter_names(only[1]), {x.id for x in inside if isinstance(x, ast.Name)}
    bodies = _functions_named(name, code)
    if len(bodies) != 1 or code.tree is None:
        return [], set()
    parameters = bodies[0].child_by_field_name("parameters")
    words = code.tree.code(bodies[0])
    if parameters is None:
        return [], set()
    listed = code.tree.code(parameters).strip("()")
    first = re.findall(
        r"(?:^|,)\s*(?:\.\.\.)?(?:[A-Z]\w*(?:<[^>]*>)?(?:\[\])? |int |long |double |boolean |char )?(\w+)",
        listed,
    )
    return first, set(re.findall(r"[^\W\d]\w*", words))


def _functions_named(name: str, code: Code) -> list[Node]:
    """The functions in braces that have this name or handle it, and a body; empty for an empty name and for text that does not parse."""
    found = functions_of(name, code) if name else ()
    return [x for x in found if x.child_by_field_name("body")]


def leaves_early(name: str, code: Code) -> bool:
    """Whether a statement other than the last one of the one function ``name`` returns from it, functions in it aside;
    ``False`` if there is no such function, or several are.
    """
    if code.python is not None:
        only = only_function(name, code)
        waiting: list[ast.AST] = [*only[1].body] if only else []
        if waiting and isinstance(waiting[-1], ast.Return):
            waiting.pop()
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Return):
                return True
            if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
                waiting += ast.iter_child_nodes(node)
        return False
    functions = _functions_named(name, code)
    body = functions[0].child_by_field_name("body") if len(functions) == 1 else None
    nodes = _statements_in(body) if body is not None else []
    if nodes and nodes[-1].type == "return_statement":
        nodes.pop()
    while nodes:
        inner = nodes.pop()
        if inner.type in ("return_statement", "return_expression"):
            return True
        if inner.type not in (*FUNCTIONS, *_INNER):
            nodes += inner.named_children
    return False


def _statements_in(body: Node) -> list[Node]:
    """The statements of a body in braces, comments aside."""
    found = [x for x in body.named_children if "comment" not in x.type]
    if len(found) == 1 and found[0].type == "statement_list":
        return _statements_in(found[0])
    return found


def line_of_variable(intent: InsertStatement, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which a log call of the intent's variable goes if no place is named, and its indentation;
    ``-1`` if it is neither a parameter of the function nor assigned once.
    """
    return _line_of_variables(intent, [intent.variable], intent.function, code)


def _line_of_variables(
    intent: InsertStatement, variables: Sequence[str], name: str, code: Code
) -> tuple[int, str]:
    """The number of the line (0-based) above which a log call of variables goes if no place is named, and its
    indentation: the top of the function ``name`` for its parameters and their members, also of ``self``; for any other
    single variable (Python) the line below its only assignment. ``-1`` if they are neither.
    """
    parameters, _ = _names_in(name, code)
    if all(variable.split(".")[0] in (*parameters, "self", "this") for variable in variables):
        return line_of(intent, code)
    only = only_function(name, code) if len(variables) == 1 else None
    return (-1, "") if only is None else _behind_assignment(variables[0], only[1], only[0])


def line_of(intent: InsertStatement, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which the statement goes, and its indentation: beside the statement
    ``intent.anchor``, or in such a block, inside the function or location of the intent, or the text, if that is empty; without an anchor at
    the top or end of the function (Python: of the only one, if that is empty).

    ``-1`` if not exactly one definition has the name, not exactly one statement is the anchor, or the place is behind a
    block or behind ``return``, ``raise`` and the like.
    """
    nowhere = (-1, "")
    name = intent.function or intent.location
    if intent.anchor:
        place = place_of(name, code.text, code.language) if name else None
        if name and place is None:
            return nowhere
        if intent.where in ("first in", "last in"):
            return _line_in_block(intent, code, place)
        target = described_statement(intent.anchor, code, place)
        if target is None or (intent.where == "after" and target.is_block):
            return nowhere
        if intent.where == "after" and isinstance(target.node, _LEAVING):
            return nowhere
        return (target.end if intent.where == "after" else target.start), target.indent
    if code.python is not None:
        return _python_line(intent, name, code)
    if code.language in ("bash", "zsh"):
        return _shell_line(intent, name, code)
    return _brace_line(intent, name, code)


def _line_in_block(intent: InsertStatement, code: Code, place: Place | None) -> tuple[int, str]:
    """The number of the line (0-based) above which the first or last statement of a block goes, and its indentation; ``-1`` if not exactly
    one block is of that kind, or its last statement leaves it.
    """
    block = block_body(intent.anchor, code, place)
    if block is None:
        return -1, ""
    if intent.where == "first in":
        return block.start, block.indent
    last = next(line for line in reversed(code.lines[: block.end]) if line.strip())
    leaves = re.match(r"\s*(?:return|throw|raise|break|continue|panic)\b", last)
    return (-1 if leaves else block.end), block.indent


def _python_line(intent: InsertStatement, name: str, code: Code) -> tuple[int, str]:
    """The number of the line (0-based) above which a statement at the top or end of a Python function goes, and its
    indentation. At the top is below the docstring, at the end above a last ``return``, unless that is all of the body.
    Without a name: of the text's only function.

    ``-1`` if the text has no function of that name or several, its body stands on the line of its head, or the end is
    asked for and its last statement leaves it otherwise (``raise`` …).
    """
    only = only_function(name, code)
    start = body_start(*only) if only else None
    if only is None or start is None:
        return -1, ""
    python, function = only
    if intent.where == "end":
        last = function.body[-1]
        if isinstance(last, ast.Return) and len(function.body) > 1 and python.is_alone(last):
            return python.first(last), start[1]
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
    (``throw`` …), and in Rust of one with a result. The end is above a last ``return``.
    """
    functions = _functions_named(name, code)
    body = functions[0].child_by_field_name("body") if len(functions) == 1 else None
    if body is None:
        return -1, ""
    start, end = body.start_point[0] + 1, body.end_point[0]
    lines = code.lines
    if start >= end or not lines[start].strip() or not lines[end].lstrip().startswith("}"):
        return -1, ""
    indent = lines[start][: -len(lines[start].lstrip())]
    leaves = re.match(r"\s*(?:return|throw|panic|break|continue)\b", lines[end - 1])
    if intent.where == "end":
        statements = _statements_in(body)
        last = statements[-1]
        if last.type == "return_statement" and len(statements) > 1:
            return last.start_point[0], indent
        has_result = functions[0].child_by_field_name("return_type") is not None
        is_value = code.language == "rust" and (
            has_result or lines[end - 1].rstrip()[-1:] not in (";", "}")
        )
        return (-1 if leaves or is_value else end), indent
    return start, indent


def _shell_line(intent: InsertStatement, name: str, code: Code) -> tuple[int, str]:
    """The number of the first line (0-based) in the function ``name`` of a shell, and its indentation; ``-1`` for the end,
    if not exactly one function has the name, or its head does not end its line or has a blank line below.
    """
    place = place_of(name, code.text, code.language) if name else None
    if place is None or intent.where != "top":
        return -1, ""
    head = rf"\s*(?:function )?{re.escape(name)} ?(?:\(\))? ?\{{\s*"
    for number in range(place.start, place.end - 1):
        below = code.lines[number + 1]
        if re.fullmatch(head, code.lines[number]):
            return (number + 1, below[: -len(below.lstrip())]) if below.strip() else (-1, "")
    return -1, ""


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
