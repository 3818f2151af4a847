"""Imports a name in the way in which the text writes its imports; without a module, from the standard library's.

a.js, "crypto isn't required"::

    const fs = require("fs");

    crypto.randomUUID();

becomes::

    const fs = require("fs");
    const crypto = require("crypto");

    crypto.randomUUID();
"""

from __future__ import annotations

import re

from editd.intent.intents import AddImport, AddImportLine, AddToImport, ImportName
from editd.refactor.add_import import add_import
from editd.refactor.add_import_line import add_import_line
from editd.refactor.add_to_import import add_to_import
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.standard_modules import standard_module

_DEFAULT = r"(?m)^import [\w$]+ from [\"']{}"
_NAMESPACE = r"(?m)^import \* as \w+ from"


def import_name(intent: ImportName, code: Code) -> Candidates | None:
    """The text with the import, as a certain candidate; the name is added to an import from the module that is there.

    ``None`` if the module is not said and not certain; for a language whose imports are not known; in JavaScript and TypeScript also if
    the file does not show how a module as a whole is imported.
    """
    module = intent.module.removeprefix("node:") or standard_module(intent.name, code.language)
    if not module:
        return None
    if code.language == "python":
        item = intent.name if intent.module or module != intent.name else ""
        if item and (found := add_to_import(AddToImport(module, (item,)), code)):
            return found
        return add_import(AddImport(module, item), code)
    if code.language in SCRIPTS:
        return _in_script(intent.name, intent.module or module, code)
    statement = _statement(intent.name, module, code.language)
    return add_import_line(AddImportLine(statement), code) if statement else None


def _statement(name: str, module: str, language: str) -> str:
    """The import as Go, Java, Rust or C write it; empty for another language."""
    if language == "go":
        return f'"{module}"'
    if language == "java":
        return f"import {module if module.endswith(f'.{name}') else f'{module}.{name}'}"
    if language == "rust":
        return f"use {module if module.endswith(f'::{name}') else f'{module}::{name}'}"
    if language in ("c", "cpp"):
        return f"#include <{module}>" if not module.startswith("<") else f"#include {module}"
    return ""


def _in_script(name: str, module: str, code: Code) -> Candidates | None:
    """The text of JavaScript or TypeScript with the import: of the module as a whole if the name is the module's own, else of the name
    in braces.
    """
    text = code.text
    requires = re.search(r"(?m)^(?:const|let|var) .*\brequire\(", text) is not None
    is_module = (
        re.split(r"[/:]", module)[-1].replace("-", "").lower() == name.replace("_", "").lower()
    )
    if found := None if is_module else add_to_import(AddToImport(module, (name,)), code):
        return found
    if requires and not re.search(r"(?m)^import .* from ", text):
        bound = name if is_module else f"{{ {name} }}"
        return add_import_line(AddImportLine(f'const {bound} = require("{module}")'), code)
    if not is_module:
        if module.startswith(".") and not _names_are_imported(text):
            return None
        return add_import_line(AddImportLine(f'import {{ {name} }} from "{module}"'), code)
    if standard_module(name, code.language) == name and re.search(_NAMESPACE, text):
        return add_import_line(AddImportLine(f'import * as {name} from "{module}"'), code)
    if module.startswith(".") and not re.search(_DEFAULT.format(r"\."), text):
        return None
    return add_import_line(AddImportLine(f'import {name} from "{module}"'), code)


def _names_are_imported(text: str) -> bool:
    """Whether a file takes names in braces from the project's other files, and nothing else."""
    named = re.search(r"(?m)^import (?:type )?\{[^{}]*\} from [\"']\.", text)
    return named is not None and not re.search(_DEFAULT.format(r"\."), text)
