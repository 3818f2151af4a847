"""How a request may be carried out: what it sets itself, over the configuration of the daemon.

What the values mean, and which are allowed, ``config`` says.
"""

from __future__ import annotations

from dataclasses import dataclass

from editd.messages.ways import WayName


@dataclass(frozen=True, slots=True)
class Loading:
    """How models are loaded, in the words of ``config.ModelConfig``; ``None``: as the daemon does.

    A daemon with other settings refuses the request, rather than load a model twice.
    """

    device: str | None = None
    dtype: str | None = None
    max_context: int | None = None
    capture: str | None = None
    exactness: str | None = None
    threads: int | None = None
    draft_device: str | None = None
    engine: str | None = None
    url: str | None = None
    key_file: str | None = None
    allow_plain_http: bool | None = None


@dataclass(frozen=True, slots=True)
class EditOptions:
    """Per-request settings; ``None`` means: as the daemon's configuration says.

    acceptance: how sampled drafts of a draft model are judged, ``rejection`` or ``coupled``.
    way: which of the other ways to an edit is taken; ``None``: the usual one. ``model``, ``again`` and
        ``whole`` ask a model even if it can be done without. ``again`` samples, with a seed of its own
        unless one is given. ``whole`` shows and rewrites all that fits the model's context, however
        long it takes.
    """

    model: str | None = None
    draft_model: str | None = None
    drafter: str | None = None
    window: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    timeout: float | None = None  # seconds
    acceptance: str | None = None
    way: WayName | None = None
    loading: Loading = Loading()
