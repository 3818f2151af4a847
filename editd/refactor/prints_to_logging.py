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

a.rs, "println! -> debug!"::

    use log::warn;

    fn add(name: &str) {
        println!("adding {name}");
    }

becomes::

    use log::warn;

    fn add(name: &str) {
        log::debug!("adding {name}");
    }
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from editd.intent.intents import AddImportLine, PrintsToLogging, RemoveUnusedImports
from editd.refactor.add_import_line import add_import_line
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.refactor.loggers import (
    SETUP,
    is_silent,
    python_logger,
    script_logger,
    with_configuration,
    with_python_logger,
)
from editd.refactor.prints import PRINTING_CALLS, is_to_a_file, printing_calls, statement_of
from editd.refactor.remove_unused_imports import bound_names, remove_unused_imports
from editd.syntax.code import Code, read_code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_scopes import redefines
from editd.syntax.python_text import PythonText, call_of
from editd.syntax.trees import Node

_LEVELS = ("trace", "debug", "info", "warn", "error")
"""The macros of Rust's loggers."""
_SEVERAL = "that the logger takes several values, as console.log does"


def prints_to_logging(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text with log calls at ``intent.level`` (``info`` if empty), as a certain candidate; a Python text without a
    logger gets ``import logging``, and the definition of ``intent.logger`` if that is named; a Go text imports ``log``, and ``fmt`` no
    longer if nothing else uses it.

    Prints that do more (to a file, with ``sep`` or ``end``, stars, no value, or several values over several lines) stay and are named as
    left alone. A program in Python that configures no logging does so in its block for ``__main__``, so that what was printed is still seen;
    without such a block, or if the words give the level and so the very call, it gets an assumption. A Python text stays itself if no print can become a log call, certain if it has no print. ``None`` if
    the text does not parse or is a part of a file, defines a ``print``, prints before its logger is defined, or has no
    place for the import; in other languages if it has no logger, another one than the intent names, none of that level, or nothing can
    become a call of it; and in languages other than Python, JavaScript, TypeScript, Java, Go and Rust.
    """
    text, language = code.text, code.language
    if language in SCRIPTS:
        return _with_script_logger(intent, code)
    if language == "java":
        return _with_java_logger(intent, code)
    if language == "go":
        return _with_go_logger(intent, code)
    if language == "rust":
        return _with_rust_macros(intent, code)
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
    """The span that makes a print to the terminal a call of ``function``: of a single value as it is; several become one message with
    ``%s`` for each that is no plain string, and the values behind it. The message has single quotes if all its strings
    had, else double ones.

    ``None`` if it does more (a file, ``sep``, ``end``, stars, no value) or has several values over several lines.
    """
    call = call_of("print", node)
    if call is None or not call.args or is_to_a_file(node):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if any(argument.arg not in ("file", "flush") for argument in call.keywords):
        return None
    start, end = python.span(call.func)
    if len(call.args) == 1 and not call.keywords:
        return start, end, function
    start, end = python.span(node)
    if len(call.args) == 1:
        return start, end, f"{function}({python.code(call.args[0])})"
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


def _with_calls(
    code: Code, pattern: str, renamed: Callable[[Node], tuple[int, int, str] | None]
) -> Candidates | None:
    """The text with each call that is spelled as ``pattern`` says and that ``renamed`` has a span for, as a certain candidate; the others
    stay and are named as left alone. ``None`` if it does not parse, or has no call that becomes another.
    """
    text, tree = code.text, code.tree
    if tree is None:
        return None
    spans: Spans = []
    stays: Spans = []
    for call in printing_calls(tree, pattern):
        span = renamed(call)
        if span:
            spans.append(span)
        else:
            stays.append((*tree.span(call), ""))
    if not spans:
        return None
    what = mentions_by_kind(text, ("calls that do more", stays))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)


def _arguments(call: Node) -> list[Node]:
    """The arguments of a call, comments aside."""
    arguments = call.child_by_field_name("arguments")
    named = arguments.named_children if arguments else []
    return [argument for argument in named if "comment" not in argument.type]


def _with_script_logger(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of JavaScript or TypeScript with each ``console.log`` of one value, or of a message and values, as a statement or an arrow's body, as a call of the
    file's own logger, at ``intent.level`` (``info`` if empty), or of another method of ``console`` if that is the intent's logger.
    """
    tree = code.tree
    is_console = intent.logger == "console" and bool(intent.level)
    logger = "console" if is_console else script_logger(code.text)
    if tree is None or not logger or intent.logger not in ("", "logging", logger):
        return None
    function = f"{logger}.{intent.level or 'info'}"
    several: Spans = []

    def renamed(call: Node) -> tuple[int, int, str] | None:
        called, given = call.child_by_field_name("function"), _arguments(call)
        is_plain = statement_of(call) is not None or _is_body(call)
        is_message = bool(given) and given[0].type in ("string", "template_string")
        is_one = len(given) == 1 and given[0].type != "spread_element"
        if called is None or not is_plain or not (is_message or is_one):
            return None
        span = (*tree.span(called), function)
        several.extend([span] if len(given) > 1 and not is_console else [])
        return span

    found = _with_calls(code, PRINTING_CALLS["javascript"], renamed)
    assumed = mentions_by_kind(code.text, (_SEVERAL, several))
    return found and replace(found, assumptions=assumed)


def _is_body(call: Node) -> bool:
    """Whether a call is all that an arrow function does: ``() => console.log("a")``."""
    return call.parent is not None and call.parent.type == "arrow_function"


def _with_java_logger(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of Java with each ``System.out.println`` of one text, plain or joined, as a call of the file's own logger, at
    ``intent.level`` (``info`` if empty). ``None`` also if the logger is none of slf4j and the level is another than ``info`` and
    ``warning``.
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

    def renamed(call: Node) -> tuple[int, int, str] | None:
        arguments, given = call.child_by_field_name("arguments"), _arguments(call)
        start, _ = tree.span(call)
        is_text = len(given) == 1 and given[0].type in ("string_literal", "binary_expression")
        has_text = is_text and re.search(r'(?:^|\+ ?)"', tree.code(given[0])) is not None
        is_line = re.match(r"System\.out\.println\(", tree.code(call)) is not None
        if arguments is None or not (has_text and is_line) or statement_of(call) is None:
            return None
        return start, tree.span(arguments)[0], f"{loggers[0]}.{method}"

    return _with_calls(code, PRINTING_CALLS["java"], renamed)


def _with_go_logger(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of Go with each ``fmt.Print``, ``Println`` and ``Printf`` as that of the package ``log``, which is imported, and ``fmt`` no longer
    if nothing else uses it. ``None`` also for a level, which that package has not, and if ``log`` is another name in the text.
    """
    tree = code.tree
    if tree is None or intent.level or intent.logger not in ("", "log"):
        return None

    def renamed(call: Node) -> tuple[int, int, str] | None:
        called = call.child_by_field_name("function")
        is_plain = called is not None and statement_of(call) is not None and bool(_arguments(call))
        start = tree.span(called)[0] if called is not None and is_plain else -1
        return (start, start + len("fmt"), "log") if is_plain else None

    found = _with_calls(code, r"fmt\.Print(?:ln|f)?", renamed)
    if found is None:
        return None
    new = read_code(found.texts[0], "go")
    if '"log"' not in code.text:
        added = None if "log" in code.names else add_import_line(AddImportLine('"log"'), new)
        if added is None:
            return None
        new = read_code(added.texts[0], "go")
    if "fmt" in bound_names(new) and not re.search(r"\bfmt\.", new.text):
        removed = remove_unused_imports(RemoveUnusedImports(("fmt",)), new)
        if removed is None:
            return None
        new = read_code(removed.texts[0], "go")
    return replace(found, texts=(new.text,))


def _with_rust_macros(intent: PrintsToLogging, code: Code) -> Candidates | None:
    """The text of Rust with each ``println!`` as a macro of the crate for logging that it uses, ``log`` or ``tracing``, at ``intent.level``
    (``info`` if empty), by its path unless the text imports it. ``None`` also if it uses neither or both.
    """
    tree, text = code.tree, code.text
    level = {"warning": "warn", "": "info"}.get(intent.level, intent.level)
    crates = [x for x in ("log", "tracing") if re.search(rf"\b{x}::", text)]
    if tree is None or len(crates) != 1 or level not in _LEVELS or intent.logger:
        return None
    function = level if level in bound_names(code) else f"{crates[0]}::{level}"

    def renamed(call: Node) -> tuple[int, int, str] | None:
        macro = call.child_by_field_name("macro")
        is_plain = macro is not None and statement_of(call) is not None
        has_values = not re.fullmatch(r"\w+!\s*[(\[{]\s*[)\]}]", tree.code(call))
        return (
            (*tree.span(macro), function) if macro is not None and is_plain and has_values else None
        )

    return _with_calls(code, "println", renamed)
