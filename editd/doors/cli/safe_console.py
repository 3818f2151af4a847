"""A rich console on which no text has power over the terminal; rich itself lets escape sequences through."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from editd.doors.cli.console import visible_text


class SafeConsole(Console):
    """Spells control characters out, in whatever is printed: text, tables, spinners and bars."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """As ``Console.render``; rich's own control sequences are segments of another kind."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible_text(text), style, control)


def make_console(*, stderr: bool) -> Console:
    """A rich console, which knows NO_COLOR, dumb terminals and widths."""
    return SafeConsole(stderr=stderr, highlight=False, soft_wrap=True)
