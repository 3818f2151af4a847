"""``editd doctor``: what is wrong, and how to fix it."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from editd.doors.cli.options import flag

_MARKS = {"ok": "✓", "warning": "!", "problem": "✗"}
_STYLES = {"ok": "green", "warning": "yellow", "problem": "red"}


def doctor(*, json: Annotated[bool, flag("--json", about="Print one JSON object.")] = False) -> int:
    """Check the installation, and say how to fix each problem.

    Exits with 1 if there is a problem, with 0 if there are only warnings.
    """
    from editd import settings
    from editd.doors.cli.console import write_json
    from editd.doors.cli.diagnosis import Finding, examine

    resolved = settings.resolve()
    findings: list[Finding] = []
    for finding in examine(resolved.config, list(resolved.warnings)):
        findings.append(finding)
        if not json:
            _print(finding)
    problems = sum(finding.verdict == "problem" for finding in findings)
    if json:
        write_json(
            {"ok": not problems, "findings": [dataclasses.asdict(found) for found in findings]}
        )
    return int(problems > 0)


def _print(finding: object) -> None:
    from rich.text import Text

    from editd.doors.cli.console import make_console
    from editd.doors.cli.diagnosis import Finding

    assert isinstance(finding, Finding)  # noqa: S101  # imported late, so not in the signature
    line = Text()
    line.append(_MARKS[finding.verdict], _STYLES[finding.verdict])
    line.append(f" {finding.subject}: {finding.text}")
    if finding.remedy:
        line.append(f"\n    → {finding.remedy}")
    make_console(stderr=False).print(line)
