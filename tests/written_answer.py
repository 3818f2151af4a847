"""An edit whose model writes a given answer, in given pieces: all of the engine but tokens.

The model is one that writes its answers itself, as a server's.
"""

from dataclasses import dataclass, field

from editd.config import Config
from editd.engine.edit_job import EditJob
from editd.messages import Delta, EditRequest
from editd.messages.options import EditOptions
from editd.messages.reports import Stats
from editd.models.model import ModelSpec
from editd.models.text_source import AnswerPiece


@dataclass
class Written:
    """An answer that comes in ``pieces`` and ends so, or once the engine has enough of it."""

    pieces: list
    end: str
    on_text: object
    finish_reason: str | None = None
    cut_off: None = None
    first_progress: None = None
    counts: Stats = field(default_factory=lambda: Stats(output_tokens=1, rounds=1))

    def advance(self):
        if not self.pieces:
            self.finish_reason = self.end
            return ()
        if self.on_text(self.pieces.pop(0), False):
            self.finish_reason = "stop"
        return [AnswerPiece("new")]

    def rest(self):
        return ""

    def close(self):
        pass


class TextModel:
    """Model, text source and pool at once."""

    manifest = {}  # noqa: RUF012  never written
    memory_bytes = 0
    drafter = ""
    max_context = 100_000
    render_chat = None

    def __init__(self, name, pieces, end, edit_format):
        self.name, self._pieces, self._end, self.edit_format = name, pieces, end, edit_format

    def text_source(self, settings):
        return self

    def count_tokens(self, text):
        return len(text) // 3

    def seconds(self, prompt_tokens, answer_tokens):
        return 0.0

    def begin(self, spec, on_text):
        return Written(list(self._pieces), self._end, on_text)

    def warm_up(self, spec):
        yield None

    def spec(self, model):
        return ModelSpec(self.name)

    def draft_spec(self, model):
        return None

    def ready(self, spec):
        return True

    def acquire(self, spec):
        return self, ""

    def release(self, spec):
        pass

    def status(self):
        raise NotImplementedError

    idle_work = drop_caches = close = status


def edited(text, pieces, *, path="", end="stop", model="a model", edit_format="messages"):
    """The result of an edit, "make a 3", and its deltas. edit_format: ``plain`` opens the fence for the model."""
    options = EditOptions(way="whole")
    request = EditRequest("1", text, "make a 3", path=path, options=options)
    return answered(request, TextModel(model, pieces, end, edit_format))


def answered(request, model):
    """The result of ``request``, answered by ``model``, and its deltas."""
    job = EditJob(model, Config(), request)
    told = []
    while not job.finished:
        told += job.advance()
    return told[-1], [message for message in told if isinstance(message, Delta)]
