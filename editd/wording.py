"""The words in which a sentence names what a person can do next, for the place where the sentence is read.

editd's sentences are written for a terminal: they name flags (``--range``) and commands (`editd models`). ``worded`` puts the
buttons, commands and settings of an editor in their place; nothing else knows what a button is called. A leaf: imports nothing of
editd's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Door = Literal["terminal", "vscode", "neovim", "editor"]
"""The place where a sentence is read: ``editor`` is one without a plugin of editd's."""


@dataclass(frozen=True, slots=True)
class EditorWords:
    """The words of one editor. choose_model, log, other_way: where these are; an empty ``other_way`` means nowhere."""

    choose_model: str
    log: str
    other_way: str


_WORDS: dict[Door, EditorWords] = {
    "vscode": EditorWords("“Choose Model…”", "“Show Log”", "“Another Way…”"),
    "neovim": EditorWords(":EditdModel", ":checkhealth editd", ":EditdRetry"),
    "editor": EditorWords("the setting model.name", "`editd logs`", ""),
}
_SETTINGS = (
    "timeout|max-new-tokens|acceptance|drafter"  # flags that are settings of the section ``decode``
)


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
        (r" \(--range\)", " (select them)"),
        (r", or try all of it with --way whole", f", or try all of it{way}" if way else ""),
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


def _log(found: re.Match[str], words: EditorWords) -> str:
    """Where the log is, after ``see`` if it stands in what was ``found``."""
    return f"see {words.log}" if found[0].startswith("see ") else words.log
