"""Loggers: the one of a file, in Python, JavaScript, TypeScript, Java, Go and shells: shared by what writes log calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.intent.intents import AddImport
from editd.refactor.add_import import add_import
from editd.syntax.code import Code, read_code
from editd.syntax.language import SCRIPTS

_SCRIPT_LOGGER = re.compile(
    r"^(?:import (?:\{ ?)?|(?:export )?(?:const|let|var) )(logger|log)\b(?= \}? ?from| ?\}| ?=| from)",
    re.MULTILINE,
)

_CONFIGURES = re.compile(
    r"\b(?:basicConfig|dictConfig|fileConfig|addHandler|setLevel|\w*(?:setup|init|configure)_?log\w*|structlog|loguru)\b",
    re.IGNORECASE,
)
SETUP = (
    "that logging is configured elsewhere, since Python shows no info and debug messages by itself"
)


@dataclass(frozen=True, slots=True)
class PythonLogger:
    """The logger of a Python file.

    name: the logger, or ``logging``. line: where the file defines it, from 1; ``None`` for the module. is_there: the file has
    it already.
    """

    name: str
    line: int | None = None
    is_there: bool = True


def python_logger(tree: ast.Module, named: str = "") -> PythonLogger:
    """The logger that a Python file defines at its top level by ``getLogger`` or ``get_logger``; else one with the name
    ``named``, which is not there yet, if that is a name other than ``logging``; else the module ``logging``.
    """
    is_imported = False
    for node in tree.body:
        if isinstance(node, ast.Import):
            is_imported |= any(
                alias.name == "logging" and alias.asname is None for alias in node.names
            )
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=called)) if (
                ast.unparse(called).endswith(("getLogger", "get_logger"))
            ):
                return PythonLogger(target, node.lineno)
    if named.isidentifier() and named != "logging":
        return PythonLogger(named, is_there=False)
    return PythonLogger("logging", is_there=is_imported)


def with_python_logger(text: str, logger: PythonLogger) -> str | None:
    """``text`` with the import of ``logging`` and, unless the logger is that module, its definition below the imports;
    ``text`` itself if ``logger`` is there. ``None`` if the text does not parse, or has no place for the import.
    """
    if logger.is_there:
        return text
    code = read_code(text, "python")
    python = code.python
    if python is None:
        return None
    if not any(x.text.strip() == "import logging" for x in code.imports):
        found = add_import(AddImport("logging"), code)
        if found is None:
            return None
        code = read_code(found.texts[0], "python")
    if logger.name == "logging":
        return code.text
    top = [x for run in code.import_runs for x in run if not code.lines[x.line][:1].isspace()]
    lines = code.lines
    end = top[-1].end_line
    definition = f"\n{logger.name} = logging.getLogger(__name__)\n"
    return "".join([*lines[:end], definition, *lines[end:]])


def is_silent(code: Code, level: str) -> bool:
    """Whether log calls at ``level`` (``info`` if empty) show nothing when a Python text is run: it is run as a program
    (``__main__``), configures no logging, and Python itself shows warnings and what is worse alone.
    """
    is_program = "__main__" in code.text
    is_low = level in ("", "info", "debug")
    return is_program and is_low and _CONFIGURES.search(code.text) is None


def with_configuration(text: str) -> str | None:
    """A Python text that configures logging to show what is informative first in its block for ``__main__``; ``None`` without such a block, or without ``import logging``."""
    python = read_code(text, "python").python
    if python is None or not re.search(r"(?m)^import logging$", text):
        return None
    blocks = [
        node
        for node in python.tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
    ]
    if len(blocks) != 1:
        return None
    first = blocks[0].body[0]
    if first.lineno == blocks[0].lineno:
        return None
    indent = " " * first.col_offset
    line = f"{indent}logging.basicConfig(level=logging.INFO)\n"
    at = first.lineno - 1
    return "".join([*python.lines[:at], line, *python.lines[at:]])


def script_logger(text: str) -> str:
    """The name of the logger that a JavaScript or TypeScript file imports or defines; empty if it has none."""
    found = _SCRIPT_LOGGER.search(text)
    return found[1] if found else ""


def log_call(
    code: Code, level: str, text: str, variables: Sequence[str] = (), call: str = ""
) -> str | None:
    """The statement that logs ``text`` and the values of ``variables``, in other languages than Python; ``None`` in
    languages without a known way, for a ``call`` that the file or language does not have, in Go without an import of
    the package, in shells for variables, and in Java without a logger.

    text: goes between quotes as it is, without escapes; empty for the names of the variables. level: such as ``warn``;
    empty for the usual one; Go and shells have none. call: the function that the request names, such as
    ``console.debug``, ``fmt.Println`` or ``System.out.println``, empty for the usual one; shells ignore it.
    """
    language = code.language
    label = text or ", ".join(variables)
    if language in SCRIPTS:
        logger = script_logger(code.text)
        mark = "'" if code.text.count("'") > code.text.count('"') else '"'
        written = ", ".join([f"{mark}{label}{':' if variables else ''}{mark}", *variables])
        end = ";" if ";\n" in code.text else ""
        method = level or ("info" if logger else "log")
        if call and call.split(".", maxsplit=1)[0] not in ("console", logger):
            return None
        function = call if call.startswith("console.") else f"{logger or 'console'}.{method}"
        return f"{function}({written}){end}"
    if language == "go":
        if call and not re.fullmatch(rf"(?:log|fmt)\.Print(?:ln{'' if variables else '|f'})", call):
            return None
        function = call or "log.Println"
        is_imported = re.search(rf'"{function.split(".")[0]}"', code.text)
        written = ", ".join([f'"{label}{":" if variables else ""}"', *variables])
        return f"{function}({written})" if is_imported else None
    if language == "java":
        return _java_call(code, level, label, variables, call)
    if language in ("bash", "sh", "zsh") and not variables:
        has_function = re.search(
            r"^(?:function )?log ?\(\)|^function log\b", code.text, re.MULTILINE
        )
        return f'{"log" if has_function else "echo"} "{text}"'
    return None


def _java_call(
    code: Code, level: str, label: str, variables: Sequence[str], call: str
) -> str | None:
    """The statement that logs ``label`` and the values of ``variables`` in Java: by ``System.out.println`` if ``call``
    is that, else by the file's own ``Logger``, at ``level`` (``info`` if empty).

    ``None`` without a logger; also for variables or a level if the file does not mention ``org.slf4j``.
    """
    logger = re.search(r"\bLogger (\w+) *=", code.text)
    if call == "System.out.println":
        values = "".join(
            f' + " " + {variable}' if at else f" + {variable}"
            for at, variable in enumerate(variables)
        )
        return f'System.out.println("{label}{": " if variables else ""}"{values});'
    is_slf4j = "org.slf4j" in code.text
    if logger is None or (variables and not is_slf4j) or not (is_slf4j or not level):
        return None
    fields = f"{label}: {' '.join('{}' for _ in variables)}" if variables else label
    values = "".join(f", {variable}" for variable in variables)
    return f'{logger[1]}.{level or "info"}("{fields}"{values});'
