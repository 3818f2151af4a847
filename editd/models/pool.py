"""The models in memory: loads on demand, shares, replaces and frees them.

Knows the loaded models and which are in use, not what they are used for. A model whose files have changed since it
was loaded is freed and loaded again. One thread loads and frees; any thread may call ``status``.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import cast

from editd.config import Config, ModelConfig
from editd.errors import ModelError, OutOfMemory
from editd.messages.reports import ModelStatus
from editd.models import registry
from editd.models.model import Model, ModelSpec, PooledModel
from editd.models.model_folder import Stamp
from editd.models.round_costs import measure_when_idle

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _HeldModel:
    """A loaded model. stamp: of its files, taken before loading. users: ``acquire`` calls not yet released."""

    model: PooledModel
    stamp: Stamp
    users: int = 0


class ModelPool:
    """Loaded models by their specification, least recently used first."""

    def __init__(
        self, config: Config, progress: Callable[[ModelStatus], None] | None = None
    ) -> None:
        self._config = config
        self._progress = progress or (lambda _status: None)
        # Replaced, never changed, so that another thread may read it at any time.
        self._entries: dict[ModelSpec, _HeldModel] = {}
        self._loading: ModelStatus | None = None
        self._is_load_wanted = True  # the one that is loading

    def spec(self, model: ModelConfig) -> ModelSpec:
        """The specification of the model that these settings name."""
        return ModelSpec(
            **{setting.name: getattr(model, setting.name) for setting in fields(ModelSpec)}
        )

    def draft_spec(self, model: ModelConfig) -> ModelSpec | None:
        """The specification of the draft model that these settings name, always in ``fast``
        exactness; ``None`` if they name none.
        """
        if not model.draft:
            return None
        # What it says is judged, never written.
        return replace(self.spec(model.of_draft()), exactness="fast")

    def ready(self, spec: ModelSpec) -> bool:
        """Whether ``acquire`` would return without loading."""
        return spec in self._entries and not self._is_stale(spec)

    def acquire(self, spec: ModelSpec) -> tuple[PooledModel, str]:
        """Hold the model for an edit, loading it if necessary; returns it with a notice for its
        user, empty if there is nothing to say.

        Blocks while it loads. May free unused models to make room, and frees the model itself first
        if its files have changed. Makes the model the most recently used; every ``acquire`` is
        followed by one ``release``, and until then no other model takes its memory. Raises whatever
        loading raises (a ``ModelError`` with a remedy), and ``ModelError`` if the files have
        changed while another edit uses the model; nothing is held then.
        """
        notice = ""
        if spec in self._entries and self._is_stale(spec):
            notice = self._free_stale(spec)
        if spec not in self._entries:
            stamp = registry.stamp(spec)
            model, load_notice = self._load_making_room(spec)
            notice = " ".join(filter(None, (notice, load_notice)))
            entry = _HeldModel(model, stamp)
        else:
            entry = self._entries[spec]
        entry.users += 1
        others = {other: held for other, held in self._entries.items() if other != spec}
        self._entries = {**others, spec: entry}
        return entry.model, notice

    def release(self, spec: ModelSpec) -> None:
        """Take back what ``acquire`` returned: the model may be freed once it has no user."""
        if entry := self._entries.get(spec):
            entry.users -= 1

    def status(self) -> tuple[ModelStatus, ...]:
        """The status of each model held, and of the model that is loading."""
        held = tuple(entry.model.status() for entry in self._entries.values())
        return (*held, self._loading) if self._loading else held

    def idle_work(self) -> bool:
        """Do one short task that makes later edits faster: the first that a model has of its own,
        else measuring a size of pass for the first local model that lacks one.

        Returns false if none was left to do.
        """
        models = [entry.model for entry in self._entries.values()]
        local = [cast(Model, model) for model in models if hasattr(model, "target")]
        return any(model.idle_work() for model in models) or any(map(measure_when_idle, local))

    def interrupt(self) -> None:
        """Have a load that is running end at its next report, and the passes of models whose
        backend can end them; from any thread.
        """
        self._is_load_wanted = False
        for entry in self._entries.values():
            if (stop := getattr(entry.model, "interrupt", None)) is not None:
                stop()

    def unload(self) -> None:
        """Free every unused model."""
        for spec in [spec for spec, entry in self._entries.items() if not entry.users]:
            self._free(spec)

    def _is_stale(self, spec: ModelSpec) -> bool:
        """Whether the files of a loaded model have changed since it was loaded."""
        return registry.stamp(spec) != self._entries[spec].stamp

    def _free_stale(self, spec: ModelSpec) -> str:
        """Free the loaded model, before its successor needs the memory; returns a notice that its
        files have changed.

        Raises ``ModelError``, freeing nothing, if an edit uses the model.
        """
        entry = self._entries[spec]
        if entry.users:
            raise ModelError(
                f"The files of {entry.model.name} have changed, and another edit still uses the old "
                "ones: try again after it."
            )
        self._free(spec)
        return f"The files of {entry.model.name} have changed, so it was loaded anew."

    def _load_making_room(self, spec: ModelSpec) -> tuple[PooledModel, str]:
        """Load the model; each time it does not fit, free the least recently used unused model and
        try again.

        Returns it with a notice on what was freed and the model's own notice, empty if there is
        neither. Raises ``OutOfMemory`` if it does not fit though nothing unused is left, naming the
        models in use if any are; passes on what loading raises otherwise.
        """
        freed: list[str] = []
        while True:
            try:
                model = self._load(spec)
            except OutOfMemory as error:
                idle = next((s for s, entry in self._entries.items() if not entry.users), None)
                if idle is None:
                    busy = [entry.model.name for entry in self._entries.values()]
                    if not busy:
                        raise
                    raise OutOfMemory(
                        f"{error} {', '.join(busy)} is in memory and busy; "
                        "try again after its edit."
                    ) from error
                freed.append(self._entries[idle].model.name)
                self._free(idle)
            else:
                notice = f"{', '.join(freed)} was unloaded to make room for {model.name}."
                sentences = [notice if freed else "", getattr(model, "notice", "")]
                return model, " ".join(filter(None, sentences))

    def _load(self, spec: ModelSpec) -> PooledModel:
        """Load the model, reporting progress (and that it is converted for OpenVINO, if it is) and
        at the end its status; raises whatever the backend raises, such as ``EditCancelled`` after
        ``interrupt``.

        Afterwards collects garbage, and exempts all live objects from later collections
        (``gc.freeze``).
        """
        self._is_load_wanted = True

        pending = registry.conversion_pending(spec)
        doing = "converting for OpenVINO, once" if pending else ""

        def report(fraction: float) -> bool:
            self._loading = ModelStatus(spec.title, "loading", fraction=fraction, runs=doing)
            self._progress(self._loading)
            return self._is_load_wanted

        report(0.0)
        try:
            model = registry.load(spec, report, most_bytes=self._left_of_limit())
        finally:
            self._loading = None
        # What a model and its libraries are made of lives long. Looking through it for garbage, again
        # and again, would hold the interpreter for a fifth of a second.
        gc.collect()
        gc.freeze()
        status = model.status()
        log.info("loaded %s on %s as %s", model.name, status.device, status.dtype)
        self._progress(status)
        return model

    def _left_of_limit(self) -> int | None:
        """Bytes that ``daemon.memory`` (MiB, 0 for no limit) leaves for one more model, at least 0;
        ``None`` if it sets no limit.
        """
        if not self._config.daemon.memory:
            return None
        held = sum(entry.model.memory_bytes for entry in self._entries.values())
        return max(0, (self._config.daemon.memory << 20) - held)

    def _free(self, spec: ModelSpec) -> None:
        """Forget the model and close it. Objects that ``gc.freeze`` exempted are subject to garbage
        collection again, which is not run here.
        """
        model = self._entries[spec].model
        self._entries = {other: held for other, held in self._entries.items() if other != spec}
        log.info("freeing %s", model.name)
        gc.unfreeze()
        model.close()
