"""The parts that are vLLM's: its version, its runner's requests, its tokenizer, what its server was started with.

vLLM hands a ``custom_class`` the rows of a batch, not the requests behind them, so ``bind`` lets a
proposer know these before each call: one function of ``GPUModelRunner`` is wrapped. That function, the
runner's ``requests`` and the fields read below are no promises of vLLM's, so ``check`` refuses versions
that this was not tried with. Model Runner V2 has no place for drafters of others; vLLM takes the first
one for ``custom_class`` (docs/decisions/0013-inside-vllm.md).
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from editd.errors import EditdError
from editd.models.text.codec import ModelCodec

TRIED = ("0.32",)
"""Releases of vLLM that the tests of this package have run with."""
_MAX_SPEC_LEN = 128  # vllm.v1.sample.rejection_sampler.MAX_SPEC_LEN, asserted there


class NotThisVllm(EditdError):
    """The vLLM that is installed is another than this package was made for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """window: most tokens of a draft. context: of prompt and output together. on_cpu: what computes."""

    window: int
    context: int
    on_cpu: bool = False


class Row:
    """A request of a batch, as vLLM's runner knows it."""

    def __init__(self, state: Any, num_verified: int) -> None:
        self._state = state
        self.request_id: str = state.req_id
        self.num_verified = num_verified
        """Draft tokens of it that the step verified."""
        self.prompt_ids: Sequence[int] = state.prompt_token_ids or ()
        self.output_ids: Sequence[int] = state.output_token_ids

    @property
    def num_tokens(self) -> int:
        """Of prompt and output. Not vLLM's count where a prompt is no token ids."""
        return len(self.prompt_ids) + len(self.output_ids)

    @property
    def xargs(self) -> Mapping[str, Any]:
        """The request's ``vllm_xargs``."""
        return self._state.sampling_params.extra_args or {}

    @property
    def room(self) -> int:
        """Draft tokens that the output can still take, with the model's own token behind them."""
        most = self._state.sampling_params.max_tokens
        return sys.maxsize if most is None else int(most) - len(self.output_ids) - 1

    @property
    def held(self) -> Any:
        """The edit that ``keep`` was given in an earlier step; ``None`` if it was not called."""
        return getattr(self._state, "editd", None)

    def keep(self, edit: object) -> None:
        """Let vLLM hold ``edit`` as long as it holds the request, also while that is preempted."""
        self._state.editd = edit


class Step:
    """The step that has just been computed: its requests, by row."""

    def __init__(self, runner: Any, scheduled: Any) -> None:
        self._runner, self._scheduled = runner, scheduled

    @property
    def num_tokens(self) -> int:
        """Tokens that went through the model, prompts included."""
        return int(self._scheduled.total_num_scheduled_tokens)

    def row(self, index: int) -> Row:
        """The request in row ``index`` of the batch."""
        request_id = self._runner.input_batch.req_ids[index]
        verified = self._scheduled.scheduled_spec_decode_tokens.get(request_id, ())
        return Row(self._runner.requests[request_id], len(verified))


class Bound(Protocol):
    """A drafter that is told of each step before it is asked."""

    step: Step | None


def check() -> None:
    """Raise ``NotThisVllm`` where vLLM is another than this package was made for."""
    import vllm
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    version = str(vllm.__version__)
    parameters = list(inspect.signature(GPUModelRunner.propose_draft_token_ids).parameters)
    if not version.startswith(tuple(f"{tried}." for tried in TRIED)) or parameters[:3] != [
        "self",
        "scheduler_output",
        "sampled_token_ids",
    ]:
        raise NotThisVllm(
            f"editd-vllm was made for vLLM {', '.join(TRIED)} and this is {version}: install one of "
            "these, or an editd-vllm that knows yours."
        )


def bind(drafters: type[Bound]) -> None:
    """From now on a runner's drafter of this class finds the step in ``step`` when it is asked."""
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    propose = GPUModelRunner.propose_draft_token_ids
    if hasattr(propose, "__wrapped__"):
        return

    @functools.wraps(propose)
    def with_step(self: Any, scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self.drafter, drafters):
            self.drafter.step = Step(self, scheduler_output)
        return propose(self, scheduler_output, *args, **kwargs)

    GPUModelRunner.propose_draft_token_ids = with_step


def limits(vllm_config: Any) -> Limits:
    """The limits of drafts that a server was started with."""
    return Limits(
        min(vllm_config.speculative_config.num_speculative_tokens, _MAX_SPEC_LEN),
        vllm_config.model_config.max_model_len,
        vllm_config.device_config.device_type == "cpu",
    )


def codec(vllm_config: Any) -> ModelCodec:
    """Texts and token ids of the model that is served. Raises ``ModelUnsupported``."""
    from tokenizers import Tokenizer
    from vllm.tokenizers import cached_tokenizer_from_config

    config = vllm_config.model_config
    backend = getattr(cached_tokenizer_from_config(config), "backend_tokenizer", None)
    if backend is None:
        raise NotThisVllm(
            f"editd-vllm cannot read the tokenizer of {config.model}: serve a model that has a "
            "tokenizer.json, with tokenizer_mode auto or hf."
        )
    # A copy: a codec drops truncation and Unicode forms, and vLLM's own must keep them.
    return ModelCodec(Tokenizer.from_str(backend.to_str()), vocab_size=config.get_vocab_size())


def is_drafting(app: Any, name: str) -> bool:
    """Whether the server of this application was started with the drafter ``name``."""
    config = getattr(app.state, "vllm_config", None)
    speculation = getattr(config, "speculative_config", None)
    return speculation is not None and speculation.model == name


def is_counting(app: Any) -> bool:
    """Whether answers of this application say how many draft tokens were accepted."""
    config = getattr(app.state, "vllm_config", None)
    observed = getattr(config, "observability_config", None)
    return getattr(observed, "per_request_spec_decode_metrics", "none") != "none"


def counted(answer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Draft tokens accepted and rejected, as an answer of vLLM's server says; ``None`` where not."""
    figures = (answer.get("metrics") or {}).get("speculative_decoding") or {}
    try:
        accepted = int(figures["num_accepted_draft_tokens"])
        return accepted, int(figures["num_draft_tokens"]) - accepted
    except (KeyError, TypeError, ValueError):
        return None
