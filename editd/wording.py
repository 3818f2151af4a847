"""The words in which a sentence names what a person can do next, for the place where the sentence is read.

editd's sentences are written for a terminal: they name flags (``--range``) and commands (`editd models`). ``worded`` puts the
buttons, commands and settings of an editor, or the fields of a request, in their place; nothing else knows what a button is called. A leaf: imports nothing of
editd's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Door = Literal["terminal", "vscode", "neovim", "editor", "mcp", "http"]
"""The place where a sentence is read: ``editor`` is one without a plugin of editd's; ``mcp`` and ``http`` are programs that
pass it on to an agent or a person."""


@dataclass(frozen=True, slots=True)
class DoorWords:
    """The words of one front end. choose_model, log, other_way, trust: where these are; select: how lines are chosen.
    Empty: nowhere, or not at all.
    """

    choose_model: str
    log: str
    other_way: str = ""
    select: str = "select them"
    trust: str = ""


_WORDS: dict[Door, DoorWords] = {
    "vscode": DoorWords(
        "“Choose Model…”", "“Show Log”", "“Another Way…”", trust="“Manage Workspace Trust”"
    ),
    "neovim": DoorWords(
        ":EditdModel", ":checkhealth editd", ":EditdRetry", trust="the option trust_workspace"
    ),
    "editor": DoorWords(
        "the setting model.name", "`editd logs`", trust="the setting workspace.trusted"
    ),
    "mcp": DoorWords("the setting model.name", "`editd logs`", select="`lines`"),
    "http": DoorWords("the setting model.name", "`editd logs`", select=""),
}
_SETTINGS = (
    "timeout|max-new-tokens|acceptance|drafter"  # flags that are settings of the section ``decode``
)


BEING_REFINED = "These hunks are being refined; wait for the new ones."
"""The answer to a decision on hunks that a follow-up is about to replace, in every front end."""


def worded(sentence: str, door: Door) -> str:
    """``sentence``, which is written for a terminal, in the words of ``door``: flags and commands
    that it names become buttons and settings, or are left out; other commands get "in a terminal".
    Unchanged for ``"terminal"`` and without flag or command.

    >>> worded("Edit fewer lines at a time (--range).", "vscode")
    'Edit fewer lines at a time (select them).'
    """
    if door == "terminal" or ("-" not in sentence and "`editd" not in sentence):
        return sentence
    words = _WORDS[door]
    way = f" ({words.other_way})" if words.other_way else ""
    for pattern, instead in (
        (r" \(-i\)", ""),
        (r"(?<!lines) with --range(?: START:END)?", " lines"),
        (r" with --range(?: START:END)?", ""),
        (r" \(--range\)", f" ({words.select})" if words.select else ""),
        (r" \(--workspace\)", f" ({words.trust})" if words.trust else ""),
        (r" \(--way whole\)", way),
        (r" \(--way\)", ""),
        (rf" \(--({_SETTINGS})\)", _setting),
        (r" with --draft-model or model\.draft", " in the setting model.draft"),
        (r" with --model(?: \([^)]*\))?", f" ({words.choose_model})"),
        (r"`editd models(?: list)?`", words.choose_model),
        (r"see `editd logs`|`editd logs`", lambda found: _log(found, words)),
        (r"(`editd [^`]*`)(?! in a terminal)", r"\1 in a terminal"),
    ):
        sentence = re.sub(pattern, instead, sentence)
    return sentence


def _setting(flag: re.Match[str]) -> str:
    """The name of the setting that ``flag`` stands for, in parentheses."""
    return f" (the setting decode.{flag[1].replace('-', '_')})"


def _log(found: re.Match[str], words: DoorWords) -> str:
    """Where the log is, after ``see`` if it stands in what was ``found``."""
    return f"see {words.log}" if found[0].startswith("see ") else words.log
