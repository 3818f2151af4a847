"""Judges edits by the user's linters, for as long as one front end runs.

Judged are edits of files in a project that the user trusts, if a model wrote them or a sketch was merged; what the words
alone decide is not. A linter that fails once is off until the front end starts again.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from editd.checks.rewrite import Rewrite
from editd.config import ChecksConfig
from editd.diff.document import Document
from editd.linters.comparing import new_suspicions
from editd.linters.findings import LintFinding
from editd.linters.running import Command, LinterFailed, lint
from editd.messages import EditRequest, EditResult
from editd.offload import offload
from editd.syntax.language import language_of

_MOST_TEXT = 1 << 20  # characters
_FAMILIES = {"jsx": "javascript", "tsx": "typescript"}


class Linters:
    """The linters of the settings, by language, without those that have failed."""

    def __init__(self, config: ChecksConfig) -> None:
        self._seconds = config.time_limit
        self._commands = {language: Command(line) for language, line in config.commands().items()}

    async def judge(self, request: EditRequest, result: EditResult) -> EditResult:
        """``result`` with the hunks marked that bring findings, or with a notice if the linter failed, which then
        is off for this language.

        Unchanged without a linter for the language, if the file is in no trusted project, and if the edit changes
        nothing, was computed from its words, or has a too large text. Runs the linter on the old and the new text
        at the same time, in threads. Never raises for a linter.
        """
        language = language_of(request.path, request.language_id)
        language = _FAMILIES.get(language, language)
        command = self._commands.get(language)
        place = _place(request)
        if command is None or place is None or not _is_judged(request, result):
            return result
        texts = (request.text, result.text or "")
        try:
            before, after = await asyncio.gather(
                *(offload(sys.maxsize, lint, command, *place, x, self._seconds) for x in texts)
            )
        except LinterFailed as error:
            if self._commands.pop(language, None) is None:
                return result  # another edit has reported it
            notice = f"The check {command.name} {error}; it is off until editd is started again."
            return replace(result, notices=(*result.notices, notice))
        return _marked(request, result, command.name, before, after)


def _place(request: EditRequest) -> tuple[Path, Path] | None:
    """The trusted project and the file in it, links resolved; ``None`` if either is not named or the file is outside."""
    if not (request.workspace_root and request.file):
        return None
    root, file = (Path(os.path.realpath(path)) for path in (request.workspace_root, request.file))
    return (root, file) if root in file.parents else None


def _is_judged(request: EditRequest, result: EditResult) -> bool:
    """Whether the edit changes a text that is not too large, and was not computed from its words."""
    is_small = max(len(request.text), len(result.text or "")) <= _MOST_TEXT
    return bool(result.text and result.hunks) and is_small and result.stats.written_by != "words"


def _marked(
    request: EditRequest,
    result: EditResult,
    name: str,
    before: list[LintFinding],
    after: list[LintFinding],
) -> EditResult:
    """``result`` with each hunk suspect that brings a new finding, for the first of these, unless it is suspect
    already, and with the reasons of all findings behind ``suspects``. name: of the linter.
    """
    document = Document.of(request.text)
    rewrite = Rewrite(
        document,
        result.hunks,
        request.instruction,
        language_of(request.path, request.language_id),
        ((0, len(document.lines)),),
    )
    found = new_suspicions(rewrite, name, before, after)
    reasons: dict[int, str] = {}
    for suspicion in found:
        for hunk_id in suspicion.hunk_ids:
            reasons.setdefault(hunk_id, suspicion.reason)
    hunks = (replace(hunk, suspect=hunk.suspect or reasons.get(hunk.id)) for hunk in result.hunks)
    suspects = dict.fromkeys((*result.suspects, *(suspicion.reason for suspicion in found)))
    return replace(result, hunks=tuple(hunks), suspects=tuple(suspects))
