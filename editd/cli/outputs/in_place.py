"""The file itself gets the new text, in one step or not at all."""

from __future__ import annotations

from editd.cli.console import say
from editd.cli.figures import change, doubts, figures
from editd.cli.inputs import Source
from editd.cli.outputs.base import Output, warn_of_doubts
from editd.errors import EditRefused
from editd.files.replacing import replace_text
from editd.messages import EditResult


class InPlace(Output):
    """Writes answers without suspects into files that have not changed meanwhile."""

    def __init__(self, *, allow_suspect: bool) -> None:
        self._allow_suspect = allow_suspect

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        file = source.file
        assert file is not None  # checked before the edit was asked for  # noqa: S101
        found = doubts(result)
        if found and not self._allow_suspect:
            raise EditRefused(
                f"{source.given} was not written, because the answer is suspect: "
                f"{'; '.join(found).rstrip('.')}. "
                "Look at it with --diff; --allow-suspect writes it anyway."
            )
        if new_text != source.text:
            replace_text(
                file,
                source.data,
                new_text,
                source.encoding,
                name=source.name,
                given=source.given,
            )
        warn_of_doubts(result)
        verb = "wrote" if new_text != source.text else "left"
        told = f"{verb} {source.given}: {change(result)}; {figures(result.stats)}."
        say(f"{told} {result.summary}".rstrip())
        return 0
