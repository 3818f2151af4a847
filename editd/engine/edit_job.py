"""An edit, step by step in ``EditJob._run``: plan, load, scope, decode, diff, check, apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from time import monotonic

from editd import errors
from editd.apply.best_guess import best_guess
from editd.apply.guards import checked_hunks
from editd.apply.outcome import Merged
from editd.checks import check_hunks
from editd.checks.literal import compared
from editd.checks.loops import LoopWatch
from editd.checks.missing_imports import with_missing_imports
from editd.config import Config
from editd.diff.document import Document
from editd.diff.edits import apply, with_keeps
from editd.diff.hunk import Hunk, Keep, Op
from editd.embedded.families import is_trained
from editd.engine.edit_prompts import write_prompts
from editd.engine.figures import figures
from editd.engine.inserting import inserted
from editd.engine.job import Job
from editd.engine.projects import Projects
from editd.engine.provenance import NameSource, named, notes_hesitation
from editd.engine.region_answer import RegionAnswer
from editd.engine.trace import Tracing
from editd.intent import parse
from editd.messages import Delta, EditRequest, EditResult, ErrorInfo, Progress, Stage
from editd.messages.options import Way, WrittenBy, check_way, ways_from
from editd.messages.reports import Stats, Trace
from editd.models.pool import ModelPool
from editd.models.text_source import AnswerSpec, Generation, Preparing, TextSource
from editd.outcome import outcome_of
from editd.plan import AskModel, Computed, Hints, likeliest_reading, plan
from editd.prompts.base import EditFormat, PromptParts, Region, Scope
from editd.prompts.budget import MOST_BYTES_PER_TOKEN
from editd.prompts.control_words import thinks
from editd.prompts.insertion import Insertion
from editd.syntax.language import language_of
from editd.turns import critical_section

_TRY = "describe the change more precisely, select its lines, or use a larger model"
_NOTHING = f"Nothing changed: {_TRY}."
_WHITE_SPACE = (
    "Nothing changed but white space that the instruction does not mention, which was kept: "
    f"{_TRY}."
)
_LIKELIEST = "The words may mean something else as well; this is what they most likely mean."
_OF_SKETCHES = "sketch+suffix"  # the default drafter for sketches
_REPEATED = "The answer repeated {} over and over and was ended"


class EditJob(Job):
    """Carries out an edit: plan, load, scope, then decode and diff region by region, then check and apply.

    store_trace: called with the trace of the edit when it has ended.
    """

    request: EditRequest
    _OVERDUE = "The edit was stopped after {0:g} s (--timeout); nothing was changed."

    def __init__(
        self,
        pool: ModelPool,
        config: Config,
        request: EditRequest,
        projects: Projects | None = None,
        store_trace: Callable[[Trace], None] = lambda _: None,
    ) -> None:
        super().__init__(pool, config, request)
        self._projects = projects or Projects()
        self._store_trace = store_trace
        self._tracing = Tracing()
        self._document = Document.of("")  # of the request, once it is read
        self._drafter = self._settings.drafter
        self._counts: Stats | None = None
        self._decode_seconds = 0.0
        self._first_hunk_ms: float | None = None
        self._hunks: list[Hunk] = []
        self._guesses: dict[int, str] = {}  # by the id of a hunk, the token that the model guessed
        self._hints = Hints()
        self._insertion: Insertion | None = None  # where a new definition goes
        self._regions: tuple[tuple[int, int], ...] = ()  # that are rewritten, once they are known
        self._certain: list[Hunk] = []  # of the hints, those that are not sent yet
        self._repeats = ""  # the text that an answer repeated until it was ended
        self._doubts: list[str] = []  # why an answer may be wrong as a whole
        self._restored = 0
        self._seq = 0
        language = language_of(request.path, request.language_id)
        self._notes_hesitation = notes_hesitation(request.instruction, language)

    def _run(self) -> EditResult:
        """Do the edit and return its result: merged or computed if the plan needs no model, else written by the
        model.

        Sends deltas and progress on the way; writes no file. Raises ``EditdError`` for an edit that is refused or
        fails. When an answer repeats itself, the regions after it are left as they were.
        """
        request = self.request
        # 1) without a model, if possible
        planned = plan(request, words_first=False)
        if isinstance(planned, Computed):
            if planned.result.text is not None:
                self._send_ops(with_keeps(planned.result.hunks, request.text))
            return planned.result
        assert isinstance(planned, AskModel)  # noqa: S101  with ``words_first`` alone there are clauses
        self._take_hints(planned.hints)
        # 2) the model, and the one that drafts for it
        model = self._acquire()
        if is_trained(model.manifest) and (likeliest := self._likeliest_reading()) is not None:
            return likeliest
        source = self._text_source(model, self._projects, self._tracing)
        self._drafter = source.drafter
        # 3) which lines are rewritten, each region by an answer of its own
        self._document = Document.of(self.request.text)
        prompts = write_prompts(model, source, request, self._document, self._hints.doubtful)
        for notice in prompts.notices:
            self._add_notice(notice)
        self._add_notice(prompts.scope.notice)
        # 4) region by region, in the order of the text
        self._insertion = prompts.insertion
        self._regions = tuple((region.start, region.end) for region in prompts.scope.regions)
        walked = 0
        for index, region in enumerate(prompts.scope.regions):
            parts = prompts.parts(index)
            self._rewrite(source, prompts.edit_format, region, parts, walked)
            walked = region.end
            if self._repeats:
                break
        self._send_ops(self._ops_between(walked, len(self._document.lines)))
        # 5) the whole answer, checked and applied
        return self._with_trace(self._result(prompts.scope))

    def _likeliest_reading(self) -> EditResult | None:
        """The edit that the words most likely mean, sent and with a notice, for a model that knows only some kinds of edits
        and is less sure of them. ``None`` if a way was chosen, or the words have no literal meaning or change nothing.
        """
        computed = likeliest_reading(self.request)
        if computed is None:
            return None
        self._add_notice(_LIKELIEST)
        self._send_ops(with_keeps(computed.hunks, self.request.text))
        return replace(computed, notices=(*computed.notices, *self._notices))

    def _progress(self, stage: Stage, message: str, fraction: float | None = None) -> Progress:
        """A progress message of this request, with the lines that are rewritten."""
        return replace(super()._progress(stage, message, fraction), regions=self._regions)

    def _take_hints(self, hints: Hints) -> None:
        """Keep what the plan found out for the model (certain hunks, doubtful regions), add its notice, and, for a
        sketch, set the drafter of sketches unless the user chose one.

        Without a sketch raises ``EditRefused`` for a way that no model takes, and ``UsageError`` for a blank
        instruction.
        """
        self._hints, self._certain = hints, list(hints.certain)
        self._add_notice(hints.notice)
        if self.request.sketch is not None:
            if not self._settings.drafter_was_chosen:
                self._settings = replace(self._settings, drafter=_OF_SKETCHES)
            return
        check_way(self.request.options.way)
        if not self.request.instruction.strip():
            raise errors.UsageError("There is no instruction: say what to change (-i).")

    def _rewrite(
        self,
        source: TextSource,
        edit_format: EditFormat,
        region: Region,
        parts: PromptParts,
        walked: int,
    ) -> None:
        """Have the model write one region's answer, send its hunks as soon as they are certain, and collect them with
        their origins, and what the model guessed.

        walked: lines of the text that were sent before; those between it and the region are sent first, unchanged but
        for certain hunks of the plan. Raises as ``_decode``.
        """
        prompt = edit_format.prompt(parts)
        repeated = f"{parts.region}\n{parts.sketch}" if parts.sketch else parts.region
        loops = None if parse(parts.instruction).asks_for_repetition else LoopWatch(repeated)
        merge = None
        if parts.sketch is not None and self.request.prediction is None:
            merge = best_guess(parts.region, parts.sketch, parts.path)
        answer = RegionAnswer(
            self._document,
            region,
            prompt,
            parts,
            self.request.instruction,
            first_id=len(self._hunks) + len(self._certain) + 1,
            thinks=thinks(self._model_name),
            loops=loops,
            spacing=merge is not None and merge.spacing,
        )
        expects_buffer = self.request.prediction is None and self.request.based_on is None
        # There are few sources: cached, naming them costs a round next to nothing.
        name_source = cache(partial(named, of_buffer=expects_buffer))
        self._tracing.begin(name_source)
        self._send_ops(self._ops_between(walked, answer.start))
        spec = AnswerSpec(
            prompt=prompt,
            expected=self._expected(parts, source.max_context),
            merged=None if merge is None else merge.segments,
            parts=parts,
            max_new_tokens=self._settings.max_new_tokens,
        )
        generation = source.begin(spec, answer.on_text)
        known = len(self._hunks)
        with critical_section():
            self._decode(generation, answer, name_source)
        self._hunks[known:] = answer.hunks()
        self._guesses |= answer.guesses if self._notes_hesitation else {}

    def _decode(
        self, generation: Generation, answer: RegionAnswer, name_source: NameSource
    ) -> None:
        """Write an answer to its end and send its hunks as soon as they are certain; every chunk of the prompt and
        every round ends a unit of work. An answer that repeats itself is ended with the hunks that it had. Adds up
        counts and time.

        Raises ``AnswerCutOff`` for an answer that is not whole at its limit, ``EditRefused`` for one without a text
        to use, and what the generation raises, which is closed in any case.
        """
        started = monotonic()
        try:
            if (first := generation.first_progress) is not None:
                self._send_preparing(first)
            while generation.finish_reason is None:
                step = generation.advance()
                if isinstance(step, Preparing):
                    self._send_preparing(step)
                    continue
                sources = [name_source(piece.source) for piece in step]
                hesitations = [piece.hesitation for piece in step] if self._notes_hesitation else ()
                self._send_ops(answer.end_round(sources, hesitations))
        finally:
            generation.close()
            counts = generation.counts
            self._counts = counts if self._counts is None else self._counts.plus(counts)
            self._decode_seconds += monotonic() - started
        self._repeats = answer.repeats
        if self._repeats:
            self._send_ops(answer.abandon())
            return
        ops = answer.finish(generation.rest())
        if generation.finish_reason == "length" and not answer.is_whole:
            raise generation.cut_off or errors.AnswerCutOff(
                f"The model had not finished{_after(generation.counts.output_tokens)}; nothing was changed: allow more "
                "(--max-new-tokens) or edit fewer lines (--range)."
            )
        if answer.refusal:
            raise errors.EditRefused(answer.refusal)
        self._send_ops(ops)
        self._restored += answer.num_restored
        self._doubts += filter(None, [answer.doubt])

    def _expected(self, parts: PromptParts, max_context: int) -> str:
        """The text that the answer is expected to repeat, in the form that the model sees: the request's prediction
        (cut to the longest possible answer), else the region in an earlier answer that is refined, else the region.
        """
        if self.request.prediction is None:
            return parts.region if parts.based_on is None else parts.based_on
        # Text beyond the longest possible answer is of no use.
        return Document.of(self.request.prediction[: MOST_BYTES_PER_TOKEN * max_context]).model_text

    def _ops_between(self, walked: int, upto: int) -> list[Op]:
        """Operations for lines ``walked .. upto`` (0-based, end exclusive), which no model rewrites: unchanged, but
        for the plan's certain hunks that end there, which are taken out of ``self._certain``.
        """
        ops: list[Op] = []
        while self._certain and self._certain[0].start + self._certain[0].old_count <= upto:
            hunk = self._certain.pop(0)
            ops += [*_keep_op(hunk.start - walked), hunk]
            walked = hunk.start + hunk.old_count
        return [*ops, *_keep_op(upto - walked)]

    def _send_ops(self, ops: Sequence[Op]) -> None:
        """Send ``ops`` as a delta and end the unit of work; without ops only ends the unit. Collects their finished
        hunks in ``self._hunks``, and notes the time from the start to the first hunk, without loading.
        """
        self._hunks += [op for op in ops if isinstance(op, Hunk) and op.done]
        if not ops:
            self._send()
            return
        if self._first_hunk_ms is None and any(isinstance(op, Hunk) for op in ops):
            self._first_hunk_ms = 1000 * (monotonic() - self._started - self._load_seconds)
        delta = Delta(self.request.request_id, self._seq, tuple(ops))
        self._seq += 1
        self._send([delta])

    def _result(self, scope: Scope) -> EditResult:
        """Check the collected hunks, mark doubtful ones ``suspect``, and apply them to the text; returns the result.
        A missing import may be added as a hunk.

        After repetition, or with a doubt about an answer as a whole, all hunks are suspect. Raises ``AnswerCutOff``
        if repetition came before any hunk. Adds a notice if nothing changed.
        """
        request = self.request
        hunks: Sequence[Hunk]
        suspects: Sequence[str]
        comparison = None
        if request.sketch is not None:
            text = apply(self._hunks, request.text, self._document)
            merged = Merged(text, tuple(self._hunks), "sketch")
            hunks, suspects = checked_hunks(merged, request)
        else:
            language = language_of(request.path, request.language_id)
            if self._insertion is not None:
                self._hunks = inserted(self._hunks, self._document, self._insertion)
            selected = (request.start_line or 0, request.end_line or len(self._document.lines))
            comparison = compared(
                self._document, self._hunks, parse(request.instruction), language, selected
            )
            hunks, suspects = check_hunks(
                self._document,
                self._hunks,
                request.instruction,
                language,
                regions=[(region.start, region.end) for region in scope.regions],
                comparison=comparison,
                guesses=self._guesses,
            )
            if hunks:
                hunks = with_missing_imports(
                    self._document, hunks, request.instruction, language, selected
                )
        if self._repeats:
            reason = _REPEATED.format(self._repeats)
            if not hunks:
                raise errors.AnswerCutOff(f"{reason} before it had changed anything: {_TRY}.")
            reason = f"{reason}; what it had changed by then is kept."
            hunks = [replace(hunk, suspect=hunk.suspect or reason) for hunk in hunks]
            suspects = [reason, *suspects]
        elif self._doubts and hunks:
            hunks = [replace(hunk, suspect=hunk.suspect or self._doubts[0]) for hunk in hunks]
            suspects = [*dict.fromkeys(self._doubts), *suspects]
        elif not hunks:
            self._add_notice(_WHITE_SPACE if self._restored else _NOTHING)
        stats = self._figures()
        return EditResult(
            request.request_id,
            "stop",
            text=apply(hunks, request.text, self._document),
            hunks=tuple(hunks),
            suspects=tuple(suspects),
            notices=tuple(self._notices),
            stats=stats,
            model=self._model_name,
            summary="" if comparison is None else comparison.summary(is_changed=bool(hunks)),
            ways=ways_from(
                stats.written_by,
                in_parts=scope.in_parts,
                words_differ=comparison is not None
                and comparison.is_computed
                and not comparison.agrees,
            ),
        )

    def _figures(self) -> Stats:
        """The figures of the edit so far, also before anything was written (``written_by`` is empty then;
        ``text+model`` if the model decides the rest of a sketch).
        """
        stats = figures(
            self._counts,
            drafter=self._drafter,
            load_seconds=self._load_seconds,
            decode_seconds=self._decode_seconds,
            total_seconds=monotonic() - self._started,
            first_hunk_ms=self._first_hunk_ms,
        )
        if self._hints.doubtful and stats.written_by:
            stats = replace(stats, written_by="text+model")
        return replace(stats, restored_lines=self._restored)

    def _with_trace(self, result: EditResult) -> EditResult:
        """Store the trace of the edit, and return ``result``."""
        self._store_trace(self._tracing.finish(self.request, result))
        return result

    def _answer_error(self, error: errors.EditdError) -> EditResult:
        """Make the result, without text and hunks, of an edit that ends with ``error``: with its code and sentence,
        the notices so far, and the other ways; stores a trace of the edit if there were rounds.
        """
        stats = self._figures()
        result = EditResult(
            self.request.request_id,
            outcome_of(error).finish_reason,
            notices=tuple(self._notices),
            stats=stats,
            model=self._model_name,
            error=ErrorInfo(error.code, str(error)),
            ways=self._ways_after(error, stats.written_by),
        )
        return self._with_trace(result) if result.stats.rounds else result

    def _ways_after(self, error: errors.EditdError, written_by: WrittenBy) -> tuple[Way, ...]:
        """The other ways that a user can take after ``error``; none after a cancel. A sketch that was refused before
        a model wrote has those of a merge.

        written_by: what wrote by then, empty for nothing.
        """
        if isinstance(error, errors.EditCancelled):
            return ()
        in_doubt = self.request.sketch is not None and not self.request.asks_model
        if in_doubt and not written_by and isinstance(error, errors.EditRefused):
            return ways_from("text")  # nothing but text was tried
        return ways_from(written_by)


def _after(tokens: int | None) -> str:
    """The number of tokens, as the end of a clause; empty if it is unknown."""
    return "" if tokens is None else f" after {tokens:,} tokens"


def _keep_op(count: int) -> list[Op]:
    """An operation that keeps so many lines; none for 0."""
    return [Keep(count)] if count else []
