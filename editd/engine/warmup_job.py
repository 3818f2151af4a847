"""A warm-up: the work for an edit that can be done before its instruction is known."""

from __future__ import annotations

from dataclasses import replace

from editd import errors
from editd.config import Config
from editd.diff.document import Document
from editd.engine.edit_prompts import write_prompts
from editd.engine.job import Job
from editd.engine.projects import Projects
from editd.messages import Done, EditRequest, WarmupRequest
from editd.models.pool import ModelPool
from editd.models.text_source import AnswerSpec
from editd.turns import critical_section

_MOST_SECONDS = 60.0  # of reading ahead
_CHARACTERS_A_TOKEN = 4


class WarmupJob(Job):
    """Loads the models and puts the buffer's part of the prompt into the prefix cache.

    The prompt of an edit without an instruction is prefilled: its tokens are those of any edit of this buffer, at least
    up to the buffer's end. A buffer that takes long to read is left out.
    """

    request: WarmupRequest

    def __init__(
        self, pool: ModelPool, config: Config, request: WarmupRequest, projects: Projects
    ) -> None:
        super().__init__(pool, config, request)
        self._projects = projects

    def _run(self) -> Done:
        """Load the model and read the prompt of an edit without instruction into its cache; returns how warm it is,
        in a sentence.

        The buffer is not read if it does not fit the context, or reading it would take longer than 60 seconds, which
        the sentence says. Sends progress. Raises what loading raises, and ``EditRefused`` as ``write_prompts``.
        """
        request = self.request
        model = self._acquire()
        source = self._text_source(model, self._projects)
        edit = EditRequest(
            request.request_id,
            request.text,
            instruction="",
            path=request.path,
            language_id=request.language_id,
            start_line=request.start_line,
            end_line=request.end_line,
        )
        try:
            document = Document.of(request.text)
            prompts = write_prompts(model, source, edit, document)
        except errors.ScopeTooLarge as error:
            # The model is warm all the same; an edit of a part of this buffer may fit.
            return Done(request.request_id, f"warm, but the buffer was not read: {error}")
        parts, outcome = prompts.parts(0), "warm"
        seconds = source.seconds(len(request.text) // _CHARACTERS_A_TOKEN, 0)
        if seconds > _MOST_SECONDS:
            # An edit would hardly rewrite all of it, and a battery is not to be emptied for nothing.
            parts = replace(parts, before="", region="", after="")
            outcome = f"warm, but the buffer was not read: that takes about {seconds:.0f} s."
        spec = AnswerSpec(prompt=prompts.edit_format.prompt(parts), parts=parts)
        steps = source.warm_up(spec)
        with critical_section():
            for step in steps:
                if step is None:
                    self._send()
                else:
                    self._send_preparing(step)
        return Done(request.request_id, outcome)
