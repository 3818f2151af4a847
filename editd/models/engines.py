"""The engine that runs a GGUF file on this machine's CPU: measured once, recorded for good, and shown to the user.

Two engines may write different texts, so the choice for a processor and a file is never changed silently. OpenVINO is
chosen where a few passes took llama.cpp ``WORTH`` times as long or longer, llama.cpp in all other cases.
``model.engine`` overrides the choice. Measuring converts the file, which takes a minute or more, so ``editd setup`` does
it and no edit: until then llama.cpp runs the file, and the user hears once that setup could make it faster.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.decode.target import GREEDY
from editd.errors import ModelUnsupported, OutOfMemory
from editd.files.local_cache import keep, recall
from editd.models.llama_cpp.library import is_library_installed, load_library
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.loaded_model import dummy_ids
from editd.models.machine import multiplies_bytes, processor
from editd.models.model import Model, ModelSpec, Progress
from editd.models.openvino import is_library_installed as is_openvino_here
from editd.models.openvino import require_library
from editd.models.round_costs import record_pass_times

WORTH = 1.5
NAMES = {"openvino": "OpenVINO", "llama_cpp": "llama.cpp"}
_SETTINGS = {"openvino": "openvino", "llama.cpp": "llama_cpp"}
# About what an edit takes: rows of a pass, and how many such passes. The first reads a prompt.
_READ, _PASSES = 128, ((8, 6), (32, 6), (1, 6))
_READS, _REPEATS = 4, 2

GAIN = "3 to 5 times"
"""How much faster OpenVINO reads a prompt than llama.cpp on a processor with VNNI: docs/explanation/backends.md."""

_HINT = f"OpenVINO, which is installed, may read this model {GAIN} as fast: `editd setup` measures that, once."
_UNMEASURED = "OpenVINO was not measured, which editd setup does"
_WAS_REMOVED = "OpenVINO, which ran it before, is not installed any more"

Load = Callable[[str, Progress], Model]
"""Loads the model by the backend of that name."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine for one model.

    backend: as in ``registry.BACKENDS``.
    why: the reason, for a person, shown after the engine's name.
    is_news: the user did not ask for this engine, and another one ran the model before.
    """

    backend: str
    why: str = ""
    is_news: bool = False

    @property
    def title(self) -> str:
        """The engine's name, followed by the reason in parentheses if there is one."""
        return f"{NAMES[self.backend]} ({self.why})" if self.why else NAMES[self.backend]


def known_choice(spec: ModelSpec) -> EngineChoice | None:
    """The engine for the file that ``spec`` names; ``None`` if no choice is recorded and both
    engines could run it well.

    That is: both are installed, the processor has VNNI, there is no other device to use, and editd
    can build a network from the file; else the engine that is left, with the reason.
    ``model.engine`` wins over a recorded choice, and is not checked against the file. Without
    OpenVINO, or for a device other than the CPU, llama.cpp runs it, whatever is recorded; that is
    news if OpenVINO was recorded and is no longer installed. Raises ``ModelUnsupported`` if
    ``model.engine`` names OpenVINO and it is not installed, or llama.cpp's build is unknown;
    ``ModelDamaged``, ``ModelNotFound`` or ``ModelUnsupported`` if the file is not whole.
    """
    file = Path(spec.name)
    if backend := _SETTINGS.get(spec.engine):
        if backend == "openvino":
            require_library()
        return EngineChoice(backend, "model.engine names it")
    check_file(file)
    found = recall(*_cache_key(file))
    if not is_openvino_here():
        was_removed = found is not None and found["backend"] == "openvino"
        return EngineChoice("llama_cpp", _WAS_REMOVED if was_removed else "", is_news=was_removed)
    if spec.device not in ("auto", "cpu"):
        return EngineChoice("llama_cpp")
    if found is not None:
        return EngineChoice(**found)
    if not is_library_installed():
        return _unless_unsupported(file, EngineChoice("openvino", "llama.cpp is not installed"))
    if not multiplies_bytes():  # measuring would take minutes
        return EngineChoice("llama_cpp", "OpenVINO is slow on a processor without VNNI")
    if spec.device == "auto" and load_library().devices():
        return EngineChoice("llama_cpp", "it has a device beside the CPU")
    return _unless_unsupported(file, None)


def loaded_by_choice(
    spec: ModelSpec, load: Load, progress: Progress
) -> tuple[Model, EngineChoice, str]:
    """Load the model on the engine chosen for it; returns the model, the choice, and a notice for
    the user.

    Loads on llama.cpp if ``known_choice`` is ``None``; the notice then says what setup could do,
    once for a file, which is recorded in the cache. Falls back to llama.cpp, with a notice, if
    OpenVINO cannot run the model, unless ``model.engine`` names the engine or llama.cpp is not
    installed: then raises ``ModelUnsupported``. The notice is empty if the engine is known and no
    news. Raises whatever loading raises.
    """
    choice = known_choice(spec)
    if choice is None:
        notice = "" if _record_hint(Path(spec.name)) else _HINT
        return load("llama_cpp", progress), EngineChoice("llama_cpp", _UNMEASURED), notice
    try:
        notice = f"The model runs on {choice.title}." if choice.is_news else ""
        return load(choice.backend, progress), choice, notice
    except ModelUnsupported as error:
        if choice.backend != "openvino" or spec.engine in _SETTINGS or not is_library_installed():
            raise
        return _load_llama_instead(load, progress, str(error))


def measure_choice(spec: ModelSpec, load: Load, progress: Progress) -> str:
    """Load and time the file on both engines, one after the other, and record the choice; returns a
    notice for the user.

    The choice is OpenVINO if it is at least 1.5 times as fast (``WORTH``), else llama.cpp, which is
    recorded, too, if OpenVINO cannot run the file, but not if the memory does not suffice for
    OpenVINO now. Closes each model, also if timing fails, and records the times as round costs. Raises
    whatever timing or ``load`` raises, but for loading on OpenVINO not ``ModelUnsupported`` and
    ``OutOfMemory``.
    """

    def part(first: float, last: float) -> Progress:
        return lambda done: progress(first + (last - first) * done)

    with closing(load("llama_cpp", part(0.0, 0.2))) as model:
        llama_seconds = _measure_edit_seconds(model)
    try:
        model = load("openvino", part(0.2, 1.0))
    except (ModelUnsupported, OutOfMemory) as error:
        if isinstance(error, ModelUnsupported):
            _record(spec, EngineChoice("llama_cpp", "OpenVINO cannot run it here"))
        return f"llama.cpp runs the model: {error}"
    with closing(model):
        times = llama_seconds / _measure_edit_seconds(model)
    backend = "openvino" if times >= WORTH else "llama_cpp"
    why = f"{times:.1f} times as fast as llama.cpp when it was measured"
    choice = EngineChoice(backend, why if backend == "openvino" else f"OpenVINO was {why}")
    _record(spec, choice)
    return f"The model runs on {choice.title}. It will stay so; model.engine names another."


def _record(spec: ModelSpec, choice: EngineChoice) -> None:
    """Record ``choice`` for the file of ``spec`` and this processor."""
    keep(*_cache_key(Path(spec.name)), {"backend": choice.backend, "why": choice.why})


def _record_hint(file: Path) -> bool:
    """Record in the cache that the user of ``file`` gets the hint; returns whether that was
    recorded before. Raises ``OSError`` if the file is missing.
    """
    _, name = _cache_key(file)
    was_hinted = recall("engine hints", name) is not None
    keep("engine hints", name, {"hinted": True})
    return was_hinted


def _load_llama_instead(
    load: Load, progress: Progress, why: str
) -> tuple[Model, EngineChoice, str]:
    """Load the model on llama.cpp; returns it with the choice and a notice. why: OpenVINO's reason
    against it, put into the notice.
    """
    choice = EngineChoice("llama_cpp", "OpenVINO cannot run it here")
    return load("llama_cpp", progress), choice, f"llama.cpp runs the model: {why}"


def _unless_unsupported(file: Path, otherwise: EngineChoice | None) -> EngineChoice | None:
    """``otherwise``, or the choice of llama.cpp if editd can build no OpenVINO network from the
    header of ``file``. Raises ``ModelDamaged`` or ``ModelNotFound`` for a file that cannot be read.
    """
    from editd.models.openvino.reading import read_file

    try:
        read_file(file)
    except ModelUnsupported:
        return EngineChoice("llama_cpp", "editd builds no such network for OpenVINO")
    return otherwise


def _measure_edit_seconds(model: Model) -> float:
    """Time a few passes of each size on the model; returns the seconds of a typical edit, by the
    fastest pass of each size.

    Records and saves the times as the model's round costs, and drops all of its cached prefixes.
    Raises what the model's passes raise; nothing is recorded then.
    """
    target, clock = model.target, model.timing.clock
    ids = dummy_ids(_READ + max(rows for rows, _ in _PASSES), target.vocab_size)
    least: dict[int, float] = {}

    def note(rows: int, begun: float) -> None:
        seconds = clock() - begun
        least[rows] = min(seconds, least.get(rows, seconds))

    for _ in range(_REPEATS):
        sequence = target.open(ids)
        begun = clock()
        sequence.prefill(ids[:_READ])
        note(_READ, begun)
        for rows, _count in _PASSES:
            for _again in range(_REPEATS):
                begun = clock()
                sequence.verify(ids[_READ : _READ + rows], GREEDY)
                note(rows, begun)
                sequence.crop(_READ)
        sequence.crop(0)
        sequence.close()
        model.drop_caches()
    record_pass_times(
        model, {rows: least[rows] for rows, _ in _PASSES}
    )  # the first edit is reckoned with it
    return _READS * least[_READ] + sum(count * least[rows] for rows, count in _PASSES)


def _cache_key(file: Path) -> tuple[str, str]:
    """The key and the name under which the choice is recorded in the cache: of this processor, and
    of the file by path, size and time of all its parts. Raises ``OSError`` if a part is missing.
    """
    seen: list[Any] = [os.fspath(file.absolute())]
    seen += [(part.stat().st_size, part.stat().st_mtime_ns) for part in parts_of(file)]
    name = hashlib.sha256(json.dumps(seen).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"engine on {processor()}", f"{file.stem} {name}"
