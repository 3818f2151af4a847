"""Stop strings: where a text that comes in pieces ends, whatever the pieces' borders."""

from __future__ import annotations

from collections.abc import Sequence


class StopStrings:
    """Gives out text up to the first of ``stops``; what may turn out to begin one is held back."""

    def __init__(self, stops: Sequence[str]) -> None:
        self.found = False
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is now certain. Nothing after a stop."""
        if self.found:
            return ""
        text = self._held + text
        places = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if places:
            self.found = True
            self._held = ""
            return text[: min(places)]
        held = max((_begun(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def finish(self) -> str:
        """The text is over: what was held back began no stop string."""
        held, self._held = self._held, ""
        return held


def _begun(text: str, stop: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of ``stop``."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
