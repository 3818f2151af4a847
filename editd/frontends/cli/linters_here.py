"""The linters on this machine, for ``setup`` to offer and ``doctor`` to name; none runs until the user chooses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editd.config import ChecksConfig
from editd.frontends.cli.config import write_setting
from editd.frontends.cli.console import say
from editd.linters.known import found_commands
from editd.linters.running import Command, LinterFailed


def offer_linters(checks: ChecksConfig, ask: Callable[[str, list[str]], int]) -> None:
    """Ask which linters on the PATH may judge edits, write the chosen ones to the user's settings, and say so.

    ask: shows a question and its choices, and returns the index of the chosen one; the first is none of them. Not
    called if no linter is found for a language that has none set. Raises ``UsageError`` if the settings cannot be
    written.
    """
    offered = {
        language: line
        for language, line in found_commands().items()
        if language not in checks.commands()
    }
    if not offered:
        return
    languages = list(offered)
    lines = [f"for {language}: {line}" for language, line in offered.items()]
    every = ["all of these"] if len(lines) > 1 else []
    question = "Which linters may judge edits, in projects that you trust?"
    answer = ask(question, ["none", *lines, *every])
    chosen = languages if answer > len(lines) else languages[answer - 1 : answer] if answer else []
    for language in chosen:
        write_setting(["checks", language], offered[language])
        say(f"Edits in {language} are judged by {Command(offered[language]).name}.")


def describe_linters(checks: ChecksConfig) -> tuple[str, str]:
    """A line about the linters that are set and those on the PATH that could be, and an empty remedy; or, for the
    first one set whose command cannot be found or is no command, a line about that and what to do. Runs none.
    """
    in_use = checks.commands()
    for language, line in in_use.items():
        try:
            Command(line).arguments(Path())
        except LinterFailed as error:
            text = f"the check for {language}, {Command(line).name}, {error}"
            return text, f"Correct it with: editd config set checks.{language} COMMAND"
    used = [f"{Command(line).name} for {language}" for language, line in in_use.items()]
    unused = [
        f"{Command(line).name} for {language}"
        for language, line in found_commands().items()
        if language not in in_use
    ]
    sentences = [", ".join(used) or "none judges edits"]
    if unused:
        sentences.append(f"found and off: {', '.join(unused)} (editd setup turns them on)")
    return "; ".join(sentences), ""
