"""Turns prints into log calls, in the file's own manner.

a.py, "replace print with logging"::

    import os

    print("reading", os.name)

becomes::

    import logging
    import os

    logging.info("reading %s", os.name)

A.java, "System.out.println should be LOG.info everywhere"::

    class A {
        static final Logger LOG = Logger.getLogger("A");

        void add(String name) {
            System.out.println("adding " + name);
        }
    }

becomes::

    class A {
        static final Logger LOG = Logger.getLogger("A");

        void add(String name) {
            LOG.info("adding " + name);
        }
    }
"""

from __future__ import annotations

import ast
import re

from editd.intent.intents import PrintsToLogging
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.refactor.loggers import (
    SETUP,
    is_silent,
    python_logger,
    script_logger,
    with_configuration,
    with_python_logger,
)
from editd.refactor.prints import (
    PRINTING_CALLS,
    printing_calls,
    statement_of,
)
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_scopes import redefines
from editd.syntax.python_text import PythonText, call_of
from editd.syntax.trees import Node


def prints_to_logging(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text with log calls at ``intent.level`` (``info`` if empty), as a certain candidate; a Python text without a
    logger gets ``import logging``, and the definition of ``intent.logger`` if that is named.

    Prints that do more (with keywords, stars, no value, or several values over several lines) stay and are named as
    left alone. A program in Python that configures no logging does so in its block for ``__main__``, so that what was printed is still seen;
    without such a block, or if the words give the level and so the very call, it gets an assumption. A Python text stays itself if no print can become a log call, certain if it has no print. ``None`` if
    the text does not parse or is a part of a file, defines a ``print``, prints before its logger is defined, or has no
    place for the import; in JavaScript, TypeScript and Java if it has no logger or nothing can become a call of that; and
    in other languages.
    """
    text, language = code.text, code.language
    if language in SCRIPTS:
        return _with_script_logger(intent, code)
    if language == "java":
        return _with_java_logger(intent, code)
    python = code.python if language == "python" else None
    if python is None or python.is_part or redefines("print", python):
        return None
    prints = [node for body in python.bodies() for node in body if call_of("print", node)]
    logger = python_logger(python.tree, intent.logger)
    function = f"{logger.name}.{intent.level or 'info'}"
    spans: Spans = []
    stays: Spans = []
    for node in prints:
        call = _log_call_span(node, python, function)
        if call is None:
            stays.append((*python.span(node), ""))
        elif logger.line is not None and node in python.tree.body and node.lineno < logger.line:
            return None
        else:
            spans.append(call)
    if not spans:
        return Candidates((text,), is_certain=not prints)
    new = with_python_logger(with_spans(text, spans), logger)
    if new is None:
        return None
    silent = spans if is_silent(code, intent.level) else []
    if silent and not intent.level and (configured := with_configuration(new)):
        new, silent = configured, []
    return Candidates(
        (new,),
        is_certain=True,
        left_alone=mentions_by_kind(text, ("prints that do more", stays)),
        assumptions=mentions_by_kind(text, (SETUP, silent)),
    )


def _log_call_span(
    node: ast.stmt, python: PythonText, function: str
) -> tuple[int, int, str] | None:
    """The span that makes a print a call of ``function``: of a single value as it is; several become one message with
    ``%s`` for each that is no plain string, and the values behind it. The message has single quotes if all its strings
    had, else double ones.

    ``None`` if it does more (keywords, stars, no value) or has several values over several lines.
    """
    call = call_of("print", node)
    if call is None or call.keywords or not call.args:
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    start, end = python.span(call.func)
    if len(call.args) == 1:
        return start, end, function
    start, end = python.span(node)
    if "\n" in python.text[start:end]:
        return None
    pieces, values = [], []
    marks: set[str] = set()
    for argument in call.args:
        code = python.code(argument)
        plain = re.fullmatch(r"(['\"])((?:(?!\1)[^\\]|\\.)*)\1", code)
        if plain and isinstance(argument, ast.Constant) and '"' not in plain[2]:
            marks.add(plain[1])
            pieces.append(re.sub(r"\\'", "'", plain[2]).replace("%", "%%"))
        else:
            pieces.append("%s")
            values.append(
                f"({code})" if isinstance(argument, ast.NamedExpr | ast.GeneratorExp) else code
            )
    message = " ".join(pieces)
    if not values:
        message = message.replace("%%", "%")
    mark = "'" if marks == {"'"} and "'" not in message else '"'
    arguments = ", ".join([f"{mark}{message}{mark}", *values])
    return start, end, f"{function}({arguments})"


def _with_script_logger(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of JavaScript or TypeScript with each ``console.log`` of one value, as a statement or an arrow's body, as a call of the
    file's own logger, at ``intent.level`` (``info`` if empty), as a certain candidate; other calls of ``console.log``
    stay and are named as left alone.

    ``None`` if the text does not parse, has no logger, or no such call.
    """
    text = code.text
    tree = code.tree
    logger = script_logger(text)
    if tree is None or not logger:
        return None
    spans: Spans = []
    stays: Spans = []
    for call in printing_calls(tree, PRINTING_CALLS["javascript"]):
        arguments = call.child_by_field_name("arguments")
        function = call.child_by_field_name("function")
        given = (
            [argument for argument in arguments.named_children if "comment" not in argument.type]
            if arguments
            else []
        )
        is_one = len(given) == 1 and given[0].type != "spread_element"
        is_plain = statement_of(call) is not None or _is_body(call)
        if is_plain and is_one and function is not None:
            spans.append((*tree.span(function), f"{logger}.{intent.level or 'info'}"))
        else:
            stays.append((*tree.span(call), ""))
    if not spans:
        return None
    what = mentions_by_kind(text, ("calls that do more", stays))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)


def _is_body(call: Node) -> bool:
    """Whether a call is all that an arrow function does: ``() => console.log("a")``."""
    return call.parent is not None and call.parent.type == "arrow_function"


def _with_java_logger(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of Java with each ``System.out.println`` of one text, plain or joined, as a call of the file's own logger, at
    ``intent.level`` (``info`` if empty), as a certain candidate; other calls that print stay and are named as left alone.

    ``None`` if the text does not parse, has no or several loggers or another one than the intent names, or no such call; or
    if the logger is none of slf4j and the level is another than ``info`` and ``warning``.
    """
    tree, text = code.tree, code.text
    loggers = re.findall(r"\bLogger (\w+) *=", text)
    level = intent.level or "info"
    is_slf4j = "org.slf4j" in text
    if tree is None or len(loggers) != 1 or intent.logger not in ("", "logging", loggers[0]):
        return None
    if not is_slf4j and level not in ("info", "warning"):
        return None
    method = "warn" if is_slf4j and level == "warning" else level
    spans: Spans = []
    stays: Spans = []
    for call in printing_calls(tree, PRINTING_CALLS["java"]):
        arguments = call.child_by_field_name("arguments")
        given = arguments.named_children if arguments else []
        start, end = tree.span(call)
        is_text = len(given) == 1 and given[0].type in ("string_literal", "binary_expression")
        has_text = is_text and re.search(r'(?:^|\+ ?)"', tree.code(given[0])) is not None
        is_line = re.match(r"System\.out\.println\(", text[start:end]) is not None
        if arguments and has_text and is_line and statement_of(call) is not None:
            spans.append((start, tree.span(arguments)[0], f"{loggers[0]}.{method}"))
        else:
            stays.append((start, end, ""))
    if not spans:
        return None
    what = mentions_by_kind(text, ("calls that do more", stays))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)
