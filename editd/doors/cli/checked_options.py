"""The options of ``editd edit`` and ``apply``, checked before a file is touched."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from editd import settings
from editd.config import Config
from editd.diff.document import Document
from editd.doors.cli.console import on_terminal, say
from editd.doors.cli.inputs import STANDARD_INPUT, Source, check_writable, read_source
from editd.doors.cli.outputs import Mode
from editd.errors import UsageError
from editd.messages import WAYS, EditOptions, EditRequest, WayName
from editd.setting_values import check_option
from editd.settings import Resolved, model_reference


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """Which texts to edit, where the answers go, and how they are decoded."""

    names: Sequence[str]
    mode: Mode
    region: tuple[int, int] | None  # lines counted from 1, both included
    options: EditOptions
    config: Config

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        outputs: dict[str, bool],
        given: dict[str, Any],
        *,
        lines: str | None,
        only_one: dict[str, str | None] | None = None,
        **options: Any,
    ) -> CheckedOptions:
        """The options of a command; raises ``UsageError`` if they make no sense together.

        given: values of ``REQUEST_OPTIONS``. only_one: further options that apply to a single text.
        options: as of ``_edit_options``.
        """
        region = None if lines is None else _parse_range(lines)
        names = list(dict.fromkeys(names))  # so that no file is edited twice
        mode = _choose_mode(names, outputs)
        if len(names) > 1:
            for flag, value in {"--range": lines, **(only_one or {})}.items():
                if value is not None:
                    raise UsageError(f"{flag} takes one file, and several are named.")
        resolved = resolved_settings()
        edit_options = _edit_options(resolved, given, **options)
        return cls(names, mode, region, edit_options, resolved.config)

    def read(self, name: str, shown: str | None = None, standard_input: bytes = b"") -> Source:
        """The text that ``name`` stands for, if its answer can be written."""
        if self.mode == "in-place":
            check_writable(name)
        return read_source(name, shown, standard_input)

    def request(self, source: Source, instruction: str, **more: Any) -> EditRequest:
        """The request to the engine for ``source``."""
        start_line, end_line = _lines_of(self.region, source)
        return EditRequest(
            request_id=uuid.uuid4().hex,
            text=source.text,
            instruction=instruction,
            path=source.name,
            start_line=start_line,
            end_line=end_line,
            options=self.options,
            priority="interactive" if len(self.names) == 1 else "batch",
            **more,
        )


def resolved_settings() -> Resolved:
    """The configuration of this process; errors in it are reported."""
    resolved = settings.resolve()
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    return resolved


def check_instruction(instruction: str) -> None:
    """Refuse an instruction that is empty or cannot be encoded."""
    if not instruction.strip():
        raise UsageError("The instruction is empty: say what to do with -i.")
    try:
        instruction.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The instruction is not valid UTF-8.") from error


def _choose_mode(names: Sequence[str], asked: dict[str, bool]) -> Mode:
    """The selected output; by default a diff on a terminal and the text in a pipe."""
    chosen = [mode for mode, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        flags = " and ".join(f"--{mode}" for mode in chosen)
        raise UsageError(f"{flags} cannot be combined; choose one.")
    if chosen:
        return cast(Mode, chosen[0])
    if list(names) == [STANDARD_INPUT]:
        return "text"
    if on_terminal():
        return "terminal"
    if len(names) > 1:
        for name in names:  # such as a folder after --workspace that is not there
            # Not pathlib's, which raises for what no file can be called.
            if name != STANDARD_INPUT and not os.path.exists(name):  # noqa: PTH110
                raise UsageError(f"{name}: no such file.")
        raise UsageError(f"Several files need one of {', '.join(f'--{mode}' for mode in asked)}.")
    return "text"


def _parse_range(text: str) -> tuple[int, int]:
    """START and END, counted from 1, both included."""
    match = re.fullmatch(r"\s*(\d+)\s*:\s*(\d+)\s*", text)
    if match is None:
        raise UsageError(f"--range is {text!r}, but must be START:END, for example 10:25.")
    start, end = int(match[1]), int(match[2])
    if not 1 <= start <= end:
        raise UsageError(
            f"--range is {text!r}, but lines start at 1 and END must not be below START."
        )
    return start, end


def _lines_of(region: tuple[int, int] | None, source: Source) -> tuple[int | None, int | None]:
    """The region as a request has it: 0-based, end exclusive."""
    if region is None:
        return None, None
    num_lines = len(Document.of(source.text).lines)
    start, end = region
    if end > num_lines:
        raise UsageError(
            f"--range is {start}:{end}, but {source.given} has only {num_lines} lines."
        )
    return start - 1, end


def _edit_options(
    resolved: Resolved,
    given: dict[str, Any],
    *,
    way: str | None = None,
) -> EditOptions:
    """The configuration's options with the flags over them; wrong flags are named as flags."""
    flags: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            flags[name] = check_option(name, value, "--" + name.replace("_", "-"))
    for name in ("model", "draft_model"):
        if flags.get(name):
            flags[name] = _model(flags[name])
    options = dataclasses.replace(resolved.edit_options(), **flags)
    return dataclasses.replace(options, way=_way(way))


def _way(name: str | None) -> WayName | None:
    *others, last = known = [str(way.name) for way in WAYS]
    if name is not None and name not in known:
        raise UsageError(f"--way is {name!r}, but must be {', '.join(others)} or {last}.")
    return cast("WayName | None", name)


def _model(name: str) -> str:
    """A folder that exists here is meant as such, also when it is not written as a path."""
    with contextlib.suppress(OSError, ValueError):  # what no folder can be called, is none
        if Path(name).is_dir():
            return str(Path(name).absolute())
    return model_reference(name, Path())
