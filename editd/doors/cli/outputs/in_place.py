"""The file itself gets the new text, in one step or not at all."""

from __future__ import annotations

from editd.doors.cli.console import say
from editd.doors.cli.figures import change, doubts, figures
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output, warn_of_doubts
from editd.errors import EditRefused
from editd.files.replacing import NewText, replace_texts
from editd.messages import EditResult


class InPlace(Output):
    """Writes answers without suspects into files that have not changed meanwhile.

    together: all at the end, or none.
    """

    def __init__(self, *, allow_suspect: bool, together: bool = False) -> None:
        self.together = together
        self._allow_suspect = allow_suspect
        self._answers: list[tuple[Source, EditResult, str]] = []  # that are not written yet

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        found = doubts(result)
        if found and not self._allow_suspect:
            raise EditRefused(
                f"{source.given} was not written, because the answer is suspect: "
                f"{'; '.join(found).rstrip('.')}. "
                "Look at it with --diff; --allow-suspect writes it anyway."
            )
        self._answers.append((source, result, new_text))
        return 0 if self.together else self.concluded(failed=False)

    def concluded(self, *, failed: bool) -> int:
        answers, self._answers = self._answers, []
        if failed:
            if any(new_text != source.text for source, _, new_text in answers):
                say("nothing was written, because the changes of all files belong together.")
            return 1
        replace_texts([_new(source, text) for source, _, text in answers if text != source.text])
        for source, result, new_text in answers:
            warn_of_doubts(result)
            verb = "wrote" if new_text != source.text else "left"
            told = f"{verb} {source.given}: {change(result)}; {figures(result.stats)}."
            say(f"{told} {result.summary}".rstrip())
        return 0


def _new(source: Source, text: str) -> NewText:
    assert source.file is not None  # checked before the edit was asked for  # noqa: S101
    return NewText(source.file, source.data, text, source.encoding, source.name, source.given)
