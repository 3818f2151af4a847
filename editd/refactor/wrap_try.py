"""Wraps the body of a function, or one statement of it, in ``try``; a docstring stays outside.

What happens on an error is in the words: a value is returned, the error printed, logged or raised again.

a.py, "load should return None on OSError"::

    def load(path):
        return open(path).read()

becomes::

    def load(path):
        try:
            return open(path).read()
        except OSError:
            return None

a.py, "in clean, wrap the unlink call in try/except OSError and print the error"::

    def clean(paths):
        for path in paths:
            path.unlink()

becomes::

    def clean(paths):
        for path in paths:
            try:
                path.unlink()
            except OSError as error:
                print(error)

a.js, "wrap the body of load in try/catch and return [] on error"::

    function load(path) {
      return read(path);
    }

becomes::

    function load(path) {
      try {
        return read(path);
      } catch (error) {
        return [];
      }
    }
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.intent.intents import Handler, WrapTry
from editd.refactor.brace_function import functions_of
from editd.refactor.candidates import Candidates
from editd.refactor.described_statement import described_statement
from editd.refactor.loggers import PythonLogger, python_logger, script_logger, with_python_logger
from editd.refactor.python_function import body_start, only_function
from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE, PYTHON_IMPORTS
from editd.syntax.language import SCRIPTS
from editd.syntax.places import Place, place_of
from editd.syntax.python_text import PythonText, docstring_of, is_try
from editd.syntax.python_tree import parse_expression
from editd.syntax.statements import StatementLines, statement_at

_LEAVING = ("return", "raise", "continue", "break")
_LEAVES = re.compile(r"(?:sys\.exit|exit|quit|os\._exit|process\.exit|raise|(?:flask\.)?abort)\b")
# What a loop repeats, rather than the loop.
_LOOP_BODY = re.compile(
    r"\b(?:what(?:'s| is) in(?:side)?|inside of|contents? of|body of|everything in(?:side)?)\b.*\bloop\b|\bloop(?:'s)? (?:body|contents?)\b",
    re.IGNORECASE,
)
# The caught error in an action: no method and no text.
_CAUGHT = re.compile(r"(?<![\w.\"'])error(?=[),.;}]|$)(?!\.\w+\()")
# A declaration in braces, with its name, which is empty for several.
_DECLARED = r"^\s*(?:(?:const|let|var) (\w*)|(?:final )?[A-Z]\w*(?:<.*?>)?(?:\[\])? \w+(?= =))"
# Exceptions of modules that are imported as a whole.
_ERRORS_OF = {
    "subprocess": "CalledProcessError TimeoutExpired SubprocessError",
    "json": "JSONDecodeError",
    "smtplib": "SMTPException SMTPServerDisconnected SMTPAuthenticationError SMTPRecipientsRefused",
    "requests": "RequestException HTTPError Timeout",
    "httpx": "HTTPError HTTPStatusError RequestError TimeoutException",
    "aiohttp": "ClientError",
    "urllib.error": "URLError HTTPError",
    "jwt": "InvalidTokenError ExpiredSignatureError DecodeError",
    "serial": "SerialException SerialTimeoutException",
    "sqlite3": "DatabaseError IntegrityError OperationalError",
    "psycopg2": "DatabaseError IntegrityError OperationalError",
    "asyncio": "CancelledError",
    "socket": "gaierror",
    "configparser": "NoSectionError NoOptionError",
    "zipfile": "BadZipFile",
    "tarfile": "TarError ReadError",
    "csv": "Error",
    "shutil": "SameFileError",
    "yaml": "YAMLError",
    "redis": "RedisError",
}


def wrap_try(intent: WrapTry, code: Code) -> Candidates | None:
    """The code with the function's body, or the statement that is named, in ``try``, and with the actions on an error,
    as a certain candidate; in Python, JavaScript, TypeScript and Java. A log call in Python comes with the import and
    logger that it needs.

    ``None`` if not exactly one function or statement is meant; if an action cannot be written in the language, or an
    error is named where the language has no types for it, or none where it needs one; if the body begins on the line of
    its header, is empty or one ``try`` already, or has a string over several lines; if the value of a variable that the
    statement assigns would be missing after it; or if the text has no final line end, or would not compile (Python).
    """
    if not code.text.endswith("\n"):
        return None
    is_defined = any(x.name == intent.statement for x in code.definitions if x.is_block)
    if intent.is_body_if_defined and is_defined:
        intent = replace(intent, function=intent.statement, statement="")
    name = intent.function or intent.location
    if intent.statement:
        place = place_of(name, code.text, code.language) if name else None
        is_of_one = not name or place is not None
        target = statement_of(intent.statement, code, place) if is_of_one else None
        if target is None:
            return None
    else:
        found = body_of(name, code)
        if found is None:
            return None
        place, target = found
    return wrap_lines(intent, target, code)


def wrap_lines(intent: WrapTry, target: StatementLines, code: Code) -> Candidates | None:
    """The code with the lines ``target`` in ``try``, whatever the intent says of them; ``None`` as ``wrap_try``."""
    if code.python is not None:
        return _in_python(intent, code.python, target, intent.function or intent.location)
    return _in_braces(intent, code, target)


def statement_of(words: str, code: Code, place: Place | None) -> StatementLines | None:
    """The lines of the statement that the words mean: "loop body" for what the only loop repeats, two statements that follow each
    other for "the insert and the 201 line"; ``None`` if they mean none or several.
    """
    if _LOOP_BODY.search(words):
        return loop_body(code, place)
    found = _described(words, code, place)
    if found is not None:
        return found
    first, joint, second = words.partition(" and the ")
    found = _described(first, code, place) if joint else None
    other = _described(second, code, place) if joint else None
    if found is None or other is None or found.indent != other.indent:
        return None
    upper, lower = sorted((found, other), key=lambda x: x.start)
    between = "".join(code.lines[upper.end : lower.start])
    if upper.end > lower.start or between.strip():
        return None
    return StatementLines(upper.start, lower.end, upper.indent)


def _described(words: str, code: Code, place: Place | None) -> StatementLines | None:
    """The lines of the one statement that the words describe; ``None`` for none or several, and for an import."""
    found = described_statement(words, code, place)
    return None if found is None or IMPORT_LINE.match(code.lines[found.start]) else found


def loop_body(code: Code, place: Place | None) -> StatementLines | None:
    """The lines that the only loop in ``place`` (by default in the text) repeats; ``None`` if it has none or several, or they share a line
    with its head or its last brace.
    """
    loop = statement_at("the loop", code, place)
    if loop is None or not loop.is_block:
        return None
    lines = code.lines
    if isinstance(loop.node, ast.For | ast.AsyncFor | ast.While) and code.python is not None:
        body = loop.node.body
        if loop.node.orelse or (len(body) == 1 and is_try(body[0])):
            return None
        start = code.python.first(body[0])
        return StatementLines(start, code.python.last(body[-1]) + 1, code.python.indent(start))
    start, end = loop.start + 1, loop.end - 1
    if (
        start >= end
        or not lines[start].strip()
        or lines[end].strip() != "}"
        or not lines[loop.start].rstrip().endswith("{")
    ):
        return None
    return StatementLines(start, end, lines[start][: -len(lines[start].lstrip())])


def body_of(name: str, code: Code) -> tuple[Place | None, StatementLines] | None:
    """The lines of the body of the one function called ``name``, in Python without its docstring, and of the only
    function, if ``name`` is empty; the first item is always ``None``.

    ``None`` if not exactly one function has the name, its body begins on the line of its header, is empty, or is a
    ``try`` already (in braces: has one at its top, begins with a blank line, or its last brace shares a line); also in
    languages other than Python, JavaScript, TypeScript and Java.
    """
    if code.python is not None:
        only = only_function(name, code)
        start = body_start(*only) if only else None
        if only is None or start is None:
            return None
        python, function = only
        body = function.body[1:] if docstring_of(function) else function.body
        if not body or (len(body) == 1 and is_try(body[0])):
            return None
        line = start[0] if body is function.body else python.last(function.body[0]) + 1
        last = python.last(function) + 1
        while not python.lines[line].strip():
            line += 1
        return None, StatementLines(line, last, python.indent(python.first(body[0])))
    tree = code.tree
    if tree is None or code.language not in (*SCRIPTS, "java"):
        return None
    functions = functions_of(name, code) if name else ()
    named = [block for node in functions if (block := node.child_by_field_name("body"))]
    if len(named) != 1:
        return None
    first, end = named[0].start_point[0] + 1, named[0].end_point[0]
    lines = code.lines
    if first >= end or not lines[first].strip() or not lines[end].lstrip().startswith("}"):
        return None
    if any(child.type == "try_statement" for child in named[0].named_children):
        return None
    return None, StatementLines(first, end, lines[first][: -len(lines[first].lstrip())])


# Python


def _in_python(
    intent: WrapTry, python: PythonText, target: StatementLines, name: str
) -> Candidates | None:
    """A Python text with the lines ``target`` in ``try``, as a certain candidate, with the import and logger that a log
    call needs.

    ``None`` if no error is named, an action cannot be written, the lines have a string over several lines, what the
    statement assigns is read after it, the logger's import has no place, or the new text does not compile. name: of the
    function, for log messages.
    """
    handlers = intent.handlers or (Handler("return", intent.value),)
    error = _known_error(intent.error, python)
    if not error or python.has_long_strings(target.start, target.end):
        return None
    if target.node is not None and _is_missed(target.node, python, handlers):
        return None
    logger = python_logger(python.tree)
    failing = _called(intent.statement) or name
    done = list(_python_handlers(handlers, logger, failing, python))
    if len(done) != len(handlers):
        return None
    unit = "\t" if target.indent.startswith("\t") else "    "
    given = _given_name(intent, done, python.text)
    is_named = given or any(_CAUGHT.search(line) for line in done)
    usual = "exc" if re.search(r"\berror\b", python.text) else "error"
    done = [_CAUGHT.sub(given or usual, line) for line in done]
    caught = f" as {given or usual}" if is_named else ""
    new = [f"{target.indent}try:\n"]
    inside = python.lines[target.start : target.end]
    new += [unit + line if line.strip() else line for line in inside]
    new += [f"{target.indent}except {error}{caught}:\n"]
    new += [f"{target.indent}{unit}{line}\n" for line in done]
    text = "".join([*python.lines[: target.start], *new, *python.lines[target.end :]])
    uses_logger = any(handler.verb == "log" for handler in handlers)
    whole = with_python_logger(text, logger) if uses_logger else text
    return None if whole is None or not _compiles(whole) else Candidates((whole,), is_certain=True)


def _known_error(error: str, python: PythonText) -> str:
    """The exception with its module before it, if the text has only the module: ``subprocess.CalledProcessError``; as it is, if it
    has a module, is built in, or the text has the name. Empty if nothing defines it.
    """
    names = {
        alias.asname or alias.name
        for node in ast.walk(python.tree)
        if isinstance(node, PYTHON_IMPORTS)
        for alias in node.names
    }
    known = names | {node.name for node in python.definitions()}

    def with_module(name: str) -> str:
        if "." in name or "*" in names or name in known or hasattr(builtins, name):
            return name
        module = next(
            (module for module, errors in _ERRORS_OF.items() if name in errors.split()), ""
        )
        return f"{module}.{name}" if module in names else ""

    each = [with_module(name) for name in re.split(r", ", error.strip("()"))]
    if not all(each):
        return ""
    return f"({', '.join(each)})" if error.startswith("(") else each[0]


def _given_name(intent: WrapTry, done: Sequence[str], text: str) -> str:
    """The name for the caught error that the request or one of its actions has: an action with ``e``, ``err`` or the like, which the
    text does not have; empty for none.
    """
    if intent.error_name:
        return intent.error_name
    used = (
        name
        for line in done
        for name in re.findall(r"(?<![\w.\"'])(?:e|err|ex|exc|error)\b(?![\w\"'(])", line)
    )
    return next((name for name in used if not re.search(rf"\b{name}\b", text)), "")


def _called(words: str) -> str:
    """The last name in the words for a statement: ``save`` of "the torch.save(...) call"; empty without a name."""
    bare = re.sub(r"\(.*|\b(?:calls?|line|statement|the|of|to)\b", " ", words)
    return next(iter(re.findall(r"[^\W\d]\w*", bare)[::-1]), "")


def _python_handlers(
    handlers: Sequence[Handler], logger: PythonLogger, failing: str, python: PythonText
) -> Iterator[str]:
    """Yield a line of Python for each action on an error, a bare ``return`` for an empty value; none for one that
    cannot be written: a value that is no expression, no single statement, or an exit in a text that does not import
    ``sys``.

    failing: what log messages say has failed.
    """
    names = {"null": "None", "true": "True", "false": "False"}
    for handler in handlers:
        value = names.get(handler.value, handler.value)
        match handler.verb:
            case "return" if not value:
                yield "return"
            case "return" if parse_expression(value) is not None:
                yield f"return {value}"
            case "print":
                yield f"print({value or 'error'})"
            case "log" if value in ("", "exception"):
                yield f'{logger.name}.exception("{failing} failed")'
            case "log":
                yield f'{logger.name}.{value}("{failing} failed: %s", error)'
            case "raise" | "pass" | "continue" | "break":
                yield handler.verb
            case "do" if _parses(value):
                yield value
            case "exit" if re.search(r"^import (?:.*, )?sys\b", python.text, re.MULTILINE):
                yield f"sys.exit({value})"


def _compiles(text: str) -> bool:
    """Whether Python takes the text: no ``return`` outside a function, no ``continue`` outside a loop."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "a.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _parses(statement: str) -> bool:
    """Whether a text is a single Python statement."""
    try:
        return len(ast.parse(statement).body) == 1
    except (SyntaxError, ValueError):
        return False


def _is_missed(node: ast.stmt, python: PythonText, handlers: Sequence[Handler]) -> bool:
    """Whether a name that the statement assigns is read anywhere below it in the text, though the last action on an
    error goes on without it. An action that assigns the name makes up for it.
    """
    last = handlers[-1]
    if last.verb in (*_LEAVING, "exit") or _LEAVES.match(last.value):
        return False
    made = {
        x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
    }
    made -= {re.split(r"\W", handler.value)[0] for handler in handlers if handler.verb == "do"}
    return any(
        isinstance(x, ast.Name)
        and isinstance(x.ctx, ast.Load)
        and x.id in made
        and python.span(x)[0] > python.span(node)[1]
        for x in ast.walk(python.tree)
    )


# Languages with braces


def _in_braces(intent: WrapTry, code: Code, target: StatementLines) -> Candidates | None:
    """A text in JavaScript, TypeScript or Java with the lines ``target`` in ``try``, as a certain candidate.

    ``None`` in other languages; if an error is named in JavaScript or TypeScript (other than ``Error``), or none in
    Java; if an action cannot be written; if the statement declares something; or if a line has an odd number of backticks.
    """
    lines, language = code.lines, code.language
    is_typed = intent.error not in ("", "Error")
    if language not in (*SCRIPTS, "java") or is_typed != (language == "java"):
        return None
    handlers = intent.handlers or (Handler("return", intent.value),)
    failing = _called(intent.statement) or (intent.function or intent.location).rpartition(".")[2]
    done = list(_brace_handlers(handlers, code, failing))
    inside = lines[target.start : target.end]
    end = code.line_starts[target.end]
    below = {token.text for token in code.tokens_of("name") if token.start >= end}
    declared = (name for line in inside for name in re.findall(_DECLARED, line))
    declares = any(not name or name in below for name in declared)
    has_open_template = any(line.count("`") % 2 for line in inside)
    if len(done) != len(handlers) or (intent.statement and declares) or has_open_template:
        return None
    unit = _unit(lines)
    others = re.search(r"\bcatch \((?:[\w.| ]+ )?(\w+)\)", code.text)
    given = _given_name(intent, done, code.text) or (
        others[1] if others else "e" if language == "java" else "error"
    )
    done = [_CAUGHT.sub(given, line) for line in done]
    caught = f"{intent.error} {given}" if language == "java" else given
    new = [f"{target.indent}try {{\n"]
    new += [unit + line if line.strip() else line for line in inside]
    new += [f"{target.indent}}} catch ({caught}) {{\n"]
    new += [f"{target.indent}{unit}{line}\n" for line in done]
    new += [f"{target.indent}}}\n"]
    text = "".join([*lines[: target.start], *new, *lines[target.end :]])
    return Candidates((text,), is_certain=True)


def _brace_handlers(handlers: Sequence[Handler], code: Code, failing: str) -> Iterator[str]:
    """Yield a line for each action on an error in JavaScript, TypeScript or Java, a bare ``return`` for an empty value;
    none for one that cannot be written there: ``exit``; in Java also a log call without a name and a list or
    dictionary as the value. failing: what log messages say has failed.
    """
    end = ";" if ";\n" in code.text else ""
    is_java = code.language == "java"
    names = {"None": "null", "True": "true", "False": "false"}
    for handler in handlers:
        value = names.get(handler.value, handler.value)
        match handler.verb:
            case "return" if not value:
                yield f"return{end}"
            case "return" if not (is_java and value[:1] in "[{"):
                yield f"return {value}{end}"
            case "print" | "log" if not is_java:
                logger = script_logger(code.text)
                yield f"{logger or 'console'}.error({value if handler.verb == 'print' and value else 'error'}){end}"
            case "log" if "." in value:
                yield f'{value}("{failing} failed", error);'
            case "print":
                yield f"System.err.println({value or 'error'});"
            case "raise":
                yield f"throw error{end}"
            case "do":
                yield f"{value}{end}"
            case "pass":
                yield "// ignored"
            case "continue" | "break":
                yield f"{handler.verb}{end}"


def _unit(lines: Sequence[str]) -> str:
    """The unit of indentation of a text: the first indentation in it, but for lines that begin with ``*``; two spaces
    without any.
    """
    for line in lines:
        if line.strip() and line[:1].isspace() and not line.lstrip().startswith("*"):
            return line[: len(line) - len(line.lstrip())]
    return "  "
