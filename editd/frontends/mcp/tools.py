"""The descriptions of the tools for an agent, and the names that their arguments may have.

Models were trained on Cursor's and Morph's tools, so their argument names are accepted, too. The
descriptions tell an agent when to use a tool, when not to, and in which form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcp_types import Tool, ToolAnnotations

from editd.errors import UsageError
from editd.messages.options import WAYS, WayName

_EDIT_FILE = """\
Put a sketch of your change into an existing file. You write only the lines that change and mark all
that stays; editd merges them and answers with the diff.

Use it for several scattered changes of one file, for long files, and where an exact search string
would be fragile. For one small replacement use your own edit tool; for a new file your own write tool.

Form of code_edit:
- Every stretch that stays is one line with a marker in the file's comment syntax, such as
  `// ... existing code ...` or `# ... existing code ...`. Begin and end with a marker unless you change
  the first or last lines: what you leave out without a marker is deleted.
- Around each change write one or two unchanged lines, exactly as they are in the file and unique there.
- To delete lines, write the line before and the line after them next to each other.
- Keep the file's indentation. No line numbers, no diff signs, no fences.
- Make all changes of one file in one call.

If nothing was written, the answer says why and what to do. With status "doubtful" it has the diff of the
best reading and says what could be read otherwise: look, then call again with doubt "accept", or show more
lines around the change."""

_REPLACE = """\
Replace text in existing files: each edit gives the old text as the file has it and the new text. Lands
exactly, or writes nothing and shows the nearest lines of the file with their numbers.

Use it for one or a few small replacements. The old text must stand once in the file: show lines around it
until it does, or set replace_all. White space, a line that has changed since you read it and a re-flowed
comment around the lines that change do no harm. All edits of a call are made, in all files, or none is."""

_REWRITE = """\
Have the local model rewrite an existing file, or some lines of it, as an instruction says, and answer with
the diff. You write no code at all.

Use it for mechanical changes that are long to write and easy to say: a rename within a file, docstrings,
type annotations, another style. Say exactly what is to change. Use edit_file where you know the new code."""

_WAYS = [way.name for way in WAYS]
_PATH = {"type": "string", "description": "The file: absolute, or relative to the first folder."}
_DRY_RUN = {
    "type": "boolean",
    "default": False,
    "description": "Only show the diff; write nothing.",
}
_WAY = {
    "type": "string",
    "enum": _WAYS,
    "description": "Take another way to the edit. Leave it out, unless an answer named it.",
}
_DOUBT = {
    "type": "string",
    "enum": ["ask", "accept", "refuse"],
    "default": "ask",
    "description": "If parts of the sketch could be read otherwise: ask shows the diff and writes nothing, "
    "accept writes the best reading, refuse takes only what can mean one text.",
}
_ALIASES = {
    "path": ("path", "target_file", "target_filepath", "file_path", "filepath", "filename"),
    "instructions": ("instructions", "instruction"),
    "instruction": ("instruction", "instructions"),
    "code_edit": ("code_edit", "edit_snippet", "update", "update_snippet"),
    "dry_run": ("dry_run", "dryRun"),
    "old": ("old", "old_string", "oldString", "oldText", "old_text", "old_str"),
    "new": ("new", "new_string", "newString", "newText", "new_text", "new_str"),
    "replace_all": ("replace_all", "replaceAll"),
}
_ARGUMENTS: dict[str, dict[str, dict[str, Any]]] = {
    "edit_file": {
        "path": _PATH,
        "instructions": {
            "type": "string",
            "description": "One sentence in the first person that says what the sketch does; "
            "it decides where the sketch leaves a doubt.",
        },
        "code_edit": {
            "type": "string",
            "description": "Only the lines that change, with markers for all that stays.",
        },
        "doubt": _DOUBT,
        "dry_run": _DRY_RUN,
        "way": _WAY,
    },
    "replace": {
        "path": _PATH,
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "old": {"type": "string", "description": "The text to be replaced."},
                    "new": {
                        "type": "string",
                        "description": "The text in its place; may be empty.",
                    },
                    "replace_all": {"type": "boolean", "default": False},
                    "path": {"type": "string", "description": "Another file, for this edit."},
                },
                "required": ["old", "new"],
            },
        },
        "dry_run": _DRY_RUN,
    },
    "rewrite": {
        "path": _PATH,
        "instruction": {"type": "string", "description": "What is to change."},
        "range": {
            "type": "string",
            "pattern": r"^\d+:\d+$",
            "description": "Only these lines may change, such as 10:25; counted from 1, the "
            "last included.",
        },
        "dry_run": _DRY_RUN,
        "way": _WAY,
    },
}
_REQUIRED = ("path", "instructions", "instruction", "code_edit", "edits")
_KINDS = {"string": (str, "a string"), "boolean": (bool, "true or false")}
_RANGE = re.compile(r"\s*(\d{1,9})\s*[:,–-]\s*(\d{1,9})\s*")


def _texts(description: str, **item: Any) -> dict[str, Any]:
    """The JSON schema of a list of texts."""
    items = {"type": "string", **item}
    return {"type": "array", "items": items, "description": description}


_RESULT = {
    "status": {"type": "string", "enum": ["ok", "unchanged", "doubtful", "refused", "failed", "cancelled"]},
    "path": {"type": "string"},
    "added": {"type": "integer", "description": "lines"},
    "removed": {"type": "integer", "description": "lines"},
    "diff": {"type": "string", "description": "unified; empty if nothing changes"},
    "milliseconds": {"type": "integer"},
    "written_by": {"type": ["string", "null"], "enum": ["model", "text", "text+model", "words", None]},
    "summary": {"type": "string", "description": "one line about the whole edit, or empty"},
    "notes": _texts("what is worth a look in the diff, with its line"),
    "ways": _texts("other values of way that there are for this edit, best first", enum=_WAYS),
    "doubts": _texts("what could be read otherwise, and where"),
    "message": {"type": "string", "description": "what was done, or why not and what to do"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextEdit:
    """An edit of ``replace``: ``old`` becomes ``new`` in the file ``path``, everywhere or at the only location."""

    path: str
    old: str
    new: str
    is_everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call with valid arguments. sketch: ``None`` for a rewrite. lines: counted from 1, both included.

    edits: of ``replace`` alone.
    """

    path: str
    instruction: str
    sketch: str | None = None
    lines: tuple[int, int] | None = None
    dry_run: bool = False
    way: WayName | None = None
    doubt: str = "ask"
    edits: tuple[TextEdit, ...] = ()


def tools() -> list[Tool]:
    """The tools, in the form of the protocol's list."""
    described = (
        ("edit_file", "Edit a file by a sketch", _EDIT_FILE),
        ("replace", "Replace text in files", _REPLACE),
        ("rewrite", "Rewrite a file by an instruction", _REWRITE),
    )
    return [
        Tool(
            name=name,
            title=title,
            description=description,
            input_schema=_object(_ARGUMENTS[name], _REQUIRED),
            output_schema=_object(_RESULT, tuple(_RESULT)),
            annotations=ToolAnnotations(
                read_only_hint=False,
                destructive_hint=True,
                idempotent_hint=False,
                open_world_hint=False,
            ),
        )
        for name, title, description in described
    ]


def read_call(name: str, arguments: Mapping[str, Any] | None) -> Call:
    """Read the arguments of a call of the tool ``name``, under any name that is known for them. Raises ``UsageError``
    for an unknown tool, and for a missing or wrong argument; unknown ones are ignored.
    """
    if name not in _ARGUMENTS:
        raise UsageError(f"There is no tool {name}: use edit_file, replace or rewrite.")
    given = arguments or {}
    read = {
        argument: _argument(given, argument, kind) for argument, kind in _ARGUMENTS[name].items()
    }
    return Call(
        read["path"],
        read.get("instructions") or read.get("instruction") or "",
        read.get("code_edit"),
        read.get("range"),
        read["dry_run"],
        read.get("way"),
        read.get("doubt", "ask"),
        _edits(read["edits"], read["path"]) if "edits" in read else (),
    )


def _object(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of an object; names of ``required`` that are no property are ignored."""
    needed = [name for name in required if name in properties]
    return {"type": "object", "properties": properties, "required": needed}


def _argument(given: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The value of an argument under the first of its names that has one, or its default. Raises ``UsageError`` if it
    is needed and missing or blank, of another type, or none of the allowed values; needed are those in ``_REQUIRED``
    but ``instructions``.

    ``range`` is read by ``_line_range``, ``edits`` is returned unchecked. ``null`` counts as missing.
    """
    names = _ALIASES.get(name, (name,))
    value: Any = next((given[alias] for alias in names if given.get(alias) is not None), None)
    if name == "range":
        return _line_range(value)
    if name == "edits":
        return value
    needed = name in _REQUIRED and name != "instructions"  # which agents leave out
    cls, kind = _KINDS[schema["type"]]
    if value is None and not needed:
        return schema.get("default")
    if not isinstance(value, cls):
        raise UsageError(f"The argument {name} is missing or not {kind}.")
    if value not in schema.get("enum", (value,)):
        raise UsageError(f"The argument {name} must be one of {', '.join(schema['enum'])}.")
    if needed and not str(value).strip():
        raise UsageError(f"The argument {name} is empty.")
    return value


def _edits(value: Any, path: str) -> tuple[TextEdit, ...]:
    """Read the edits of ``replace``, a list of objects or its JSON. Raises ``UsageError`` for anything else or an
    empty list, for a missing text, and for a blank old text. path: of edits that name none.
    """
    items = value
    if isinstance(value, str):  # as some models write a list
        with suppress(ValueError, RecursionError):
            items = json.loads(value)
    if not isinstance(items, list) or not items or not all(isinstance(x, dict) for x in items):
        raise UsageError("The argument edits must be a list of objects with old and new.")
    schema: Mapping[str, Any] = {"type": "string"}
    read = []
    for item in items:
        old, new = (_argument(item, name, schema) for name in ("old", "new"))
        if not isinstance(old, str) or not isinstance(new, str) or not old.strip():
            raise UsageError(
                "Each of the edits needs the texts old and new, and old must not be empty."
            )
        file = _argument({"path": path, **item}, "path", {"type": "string"})
        every = _argument(item, "replace_all", {"type": "boolean", "default": False})
        read.append(TextEdit(file, old, new, every))
    return tuple(read)


def _line_range(value: Any) -> tuple[int, int] | None:
    """Read a range, two numbers with ``:``, a comma or a dash between them or a list of two, counted from 1, both
    included; ``None`` if it is ``None`` or empty text. Raises ``UsageError`` for anything else, as an end below the
    start.
    """
    if value is None or value == "":
        return None
    if isinstance(value, list) and all(type(line) is int for line in value):
        lines = value
    else:
        found = isinstance(value, str) and _RANGE.fullmatch(value)
        lines = list(map(int, found.groups())) if found else []
    if len(lines) == 2 and 1 <= lines[0] <= lines[1]:
        return lines[0], lines[1]
    raise UsageError("The argument range must be START:END, counted from 1, for example 10:25.")
