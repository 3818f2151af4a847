"""How the two tools are described to an agent, and the names their arguments may have.

Models were trained on Cursor's and Morph's tools, so their argument names are accepted, too. The
descriptions tell an agent when to use a tool, when not to, and in which form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import Tool, ToolAnnotations

from editd.errors import UsageError
from editd.messages import WAYS, WayName

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

_REWRITE = """\
Have the local model rewrite an existing file, or some lines of it, as an instruction says, and answer with
the diff. You write no code at all.

Use it for mechanical changes that are long to write and easy to say: a rename within a file, docstrings,
type annotations, another style. Say exactly what is to change. Use edit_file where you know the new code."""

_WAYS = [way.name for way in WAYS]
_RESULT = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["ok", "unchanged", "doubtful", "refused", "failed", "cancelled"]},
        "path": {"type": "string"},
        "added": {"type": "integer", "description": "lines"},
        "removed": {"type": "integer", "description": "lines"},
        "diff": {"type": "string", "description": "unified; empty if nothing changes"},
        "milliseconds": {"type": "integer"},
        "written_by": {
            "type": ["string", "null"],
            "enum": ["model", "text", "text+model", "words", None],
        },
        "summary": {"type": "string", "description": "one line about the whole edit, or empty"},
        "notes": {
            "type": "array",
            "items": {"type": "string"},
            "description": "what is worth a look in the diff, with its line",
        },
        "ways": {
            "type": "array",
            "items": {"type": "string", "enum": _WAYS},
            "description": "other values of way that there are for this edit, best first",
        },
        "doubts": {
            "type": "array",
            "items": {"type": "string"},
            "description": "what could be read otherwise, and where",
        },
        "message": {"type": "string", "description": "what was done, or why not and what to do"},
    },
    "required": [
        "status", "path", "added", "removed", "diff", "milliseconds", "written_by", "summary",
        "notes", "ways", "doubts", "message",
    ],
}  # fmt: skip
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
    "range": ("range",),
    "doubt": ("doubt",),
}


_RANGE = re.compile(r"\s*(\d{1,9})\s*:\s*(\d{1,9})\s*")


@dataclass(frozen=True, slots=True)
class Call:
    """A call, read. sketch: ``None`` for a rewrite. lines: counted from 1, both included."""

    path: str
    instruction: str
    sketch: str | None = None
    lines: tuple[int, int] | None = None
    dry_run: bool = False
    way: WayName | None = None
    doubt: str = "ask"


def tools() -> list[Tool]:
    """Both tools, as they are listed."""
    notes = ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
    )
    return [
        Tool(
            name="edit_file",
            title="Edit a file by a sketch",
            description=_EDIT_FILE,
            input_schema=_schema(
                ["path", "instructions", "code_edit"],
                instructions={
                    "type": "string",
                    "description": "One sentence in the first person that says what the sketch does; "
                    "it decides where the sketch leaves a doubt.",
                },
                code_edit={
                    "type": "string",
                    "description": "Only the lines that change, with markers for all that stays.",
                },
                doubt=_DOUBT,
            ),
            output_schema=_RESULT,
            annotations=notes,
        ),
        Tool(
            name="rewrite",
            title="Rewrite a file by an instruction",
            description=_REWRITE,
            input_schema=_schema(
                ["path", "instruction"],
                instruction={"type": "string", "description": "What is to change."},
                range={
                    "type": "string",
                    "pattern": r"^\d+:\d+$",
                    "description": "Only these lines may change, such as 10:25; counted from 1, the "
                    "last included.",
                },
            ),
            output_schema=_RESULT,
            annotations=notes,
        ),
    ]


def read_call(name: str, arguments: Mapping[str, Any] | None) -> Call:
    """The call that an agent made; raises ``UsageError`` for an invalid one."""
    given = arguments or {}
    if name == "edit_file":
        return Call(
            _text(given, "path"),
            _text(given, "instructions", needed=False),
            sketch=_text(given, "code_edit"),
            dry_run=_dry_run(given),
            way=_way(given),
            doubt=_doubt(given),
        )
    if name == "rewrite":
        instruction = _text(given, "instruction")
        path, lines = _text(given, "path"), _lines(given)
        return Call(path, instruction, None, lines, _dry_run(given), _way(given))
    raise UsageError(f"There is no tool {name}: use edit_file or rewrite.")


def _doubt(arguments: Mapping[str, Any]) -> str:
    value = _given(arguments, "doubt")
    if value is None:
        return "ask"
    if value not in _DOUBT["enum"]:
        raise UsageError("The argument doubt is none of ask, accept and refuse.")
    return str(value)


def _schema(required: list[str], **own: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"path": _PATH, **own, "dry_run": _DRY_RUN, "way": _WAY},
        "required": required,
    }


def _given(arguments: Mapping[str, Any], name: str) -> Any:
    return next((arguments[n] for n in _ALIASES[name] if arguments.get(n) is not None), None)


def _text(arguments: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    value = _given(arguments, name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"The argument {name} is missing or not a string.")
    if needed and not value.strip():
        raise UsageError(f"The argument {name} is empty.")
    return value


def _dry_run(arguments: Mapping[str, Any]) -> bool:
    value = _given(arguments, "dry_run")
    if value is None or isinstance(value, bool):
        return bool(value)
    raise UsageError("The argument dry_run must be true or false.")


def _way(arguments: Mapping[str, Any]) -> WayName | None:
    value = arguments.get("way")
    if value is None or value in _WAYS:
        return value
    raise UsageError(f"The argument way must be one of {', '.join(_WAYS)}.")


def _lines(arguments: Mapping[str, Any]) -> tuple[int, int] | None:
    value = _given(arguments, "range")
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
