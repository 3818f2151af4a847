"""The figures of one edit or completion."""

from __future__ import annotations

from dataclasses import dataclass

from editd.messages.ways import WrittenBy


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of one edit; the same names in the CLI, over LSP and in benchmarks.

    ``None``: a figure that the answer's writer does not give; 0: that there was none.

    output_tokens: tokens the target wrote. rounds: forward passes that verified (prefill apart).
    drafted, accepted, rejected: draft tokens; drafted = accepted + rejected.
    load_seconds: until its models were in memory, 0 when they were. first_hunk_ms: after that.
    acceptance_rate: accepted by drafted; ``None`` where nothing was drafted.
    tree_rounds: rounds whose draft had branches; the others verified a chain, or no draft.
    cached_tokens: prompt tokens found in the prefix cache. drafter_seconds: time spent drafting.
    exactness: what equality with plain decoding is promised: bitwise, token or near-tie.
    min_margin: smallest log-probability gap between first and second choice at an emitted token.
    near_ties: emitted tokens whose gap was too small for this dtype to promise.
    window, last_window: most draft tokens that the median and the last round were allowed.
    written_by: the answer: ``model``, ``text`` (a sketch, merged without one), ``text+model`` (the
        model decided some of it) or ``words`` (computed from the instruction); empty: none was written.
    restored_lines: lines that kept their white space, or stayed blank, although the answer changed that.
    """

    prompt_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    rounds: int | None = 0
    tokens_per_round: float | None = 0.0
    drafted: int | None = 0
    accepted: int | None = 0
    rejected: int | None = 0
    acceptance_rate: float | None = None
    tree_rounds: int | None = 0
    accepted_prediction_tokens: int | None = 0
    rejected_prediction_tokens: int | None = 0
    first_hunk_ms: float | None = None
    load_seconds: float = 0.0
    decode_seconds: float = 0.0
    total_seconds: float = 0.0
    tokens_per_second: float | None = 0.0
    drafter_seconds: float | None = 0.0
    exactness: str = ""
    min_margin: float | None = None
    near_ties: int | None = 0
    window: int | None = 0
    last_window: int | None = 0
    drafter: str = ""
    written_by: WrittenBy = ""
    restored_lines: int = 0
