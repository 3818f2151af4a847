"""Answers that end at a fixed string, wherever it stands: ``… </updated-code>``.

Knows one string that opens and one that closes; knows nothing of lines.
"""

from __future__ import annotations

import re

from editd.prompts.stops import StopStrings


class Tagged:
    """Gives out what stands before ``fence``, and after the opener if the model writes that.

    With an ``opening`` the opener is already given and only skipped when it is written again.
    Without one it is derived from a closing tag (``</code>``: ``<code>``), and talk may precede it.
    """

    talk = ""

    def __init__(self, opening: str, fence: str) -> None:
        self.closed = False
        self._fence = fence
        self._body = StopStrings([fence])
        tag = re.fullmatch(r"</([\w-]+)>", fence)
        self._is_given = bool(opening.strip())
        self._opener = opening.strip() or (f"<{tag[1]}>" if tag else "")
        self._started = not self._opener
        self._after_opener = False  # one newline after it belongs to it
        self._pending = ""

    @property
    def properly_empty(self) -> bool:
        """Whether the closing string was written."""
        return self.closed

    def feed(self, text: str) -> str:
        if self.closed:
            return ""
        if not self._started:
            self._pending += text
            if not self._start():
                return ""
            text, self._pending = self._pending, ""
        if self._after_opener and text:
            text = text.removeprefix("\n")
            self._after_opener = False
        body = self._body.feed(text)
        self.closed = self._body.found
        return body

    def finish(self) -> str:
        rest, self._pending = self._pending, ""
        return rest + self._body.finish()

    def _start(self) -> bool:
        """Whether the body has begun; if so, ``_pending`` begins with it."""
        before, opener, rest = self._pending.partition(self._opener)
        if opener and (not self._is_given or not before.strip()):
            self._pending = rest
            self._after_opener = self._started = True
        elif self._is_given:
            self._started = not self._opener.startswith(self._pending.lstrip())
        else:
            self._started = self._fence in self._pending  # never opened, but closed
        return self._started
