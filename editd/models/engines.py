"""Which engine runs a GGUF file on this machine's CPU: measured once, kept for good, and said.

Two engines may write different texts, so the choice for a processor and a file is never changed silently.
OpenVINO runs it where a few passes took llama.cpp ``WORTH`` times as long or longer, llama.cpp in all other
cases. ``model.engine`` overrides it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.decode.target import GREEDY
from editd.errors import ModelUnsupported, OutOfMemory
from editd.files.local_cache import keep, recall
from editd.models.llama_cpp.library import is_library_here, load_library
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.loaded_model import dummy_ids
from editd.models.machine import multiplies_bytes, processor
from editd.models.model import Model, ModelSpec, Progress
from editd.models.openvino import is_library_here as is_openvino_here
from editd.models.openvino import require_library
from editd.models.round_costs import took

WORTH = 1.5
NAMES = {"openvino": "OpenVINO", "llama_cpp": "llama.cpp"}
_SETTINGS = {"openvino": "openvino", "llama.cpp": "llama_cpp"}
# About what an edit takes: rows of a pass, and how many such passes. The first reads a prompt.
_READ, _PASSES = 128, ((8, 6), (32, 6), (1, 6))
_READS, _REPEATS = 4, 2

_GONE = "OpenVINO, which ran it before, is not installed any more"

Load = Callable[[str, Progress], Model]
"""Loads the model by the backend of that name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """backend: as in ``registry.BACKENDS``. why: for a person, after the engine's name. is_news: the
    user did not ask for it, and it is not what it was.
    """

    backend: str
    why: str = ""
    is_news: bool = False

    @property
    def said(self) -> str:
        return f"{NAMES[self.backend]} ({self.why})" if self.why else NAMES[self.backend]


def known_choice(spec: ModelSpec) -> Choice | None:
    """The engine for the file that ``spec`` names, unless it has to be measured.

    Raises ``ModelUnsupported`` where ``model.engine`` names OpenVINO and it is not installed.
    """
    file = Path(spec.name)
    if named := _SETTINGS.get(spec.engine):
        if named == "openvino":
            require_library()
        return Choice(named, "model.engine names it")
    check_file(file)
    found = recall(*_place(file))
    if not is_openvino_here():
        gone = found is not None and found["backend"] == "openvino"
        return Choice("llama_cpp", _GONE if gone else "", is_news=gone)
    if spec.device not in ("auto", "cpu"):
        return Choice("llama_cpp")
    if found is not None:
        return Choice(**found)
    if not is_library_here():
        return _if_supported(file, Choice("openvino", "llama.cpp is not installed"))
    if not multiplies_bytes():  # measuring would take minutes
        return Choice("llama_cpp", "OpenVINO is slow on a processor without VNNI")
    if spec.device == "auto" and load_library().devices():
        return Choice("llama_cpp", "it has a device beside the CPU")
    return _if_supported(file, None)


def loaded_by_choice(spec: ModelSpec, load: Load, progress: Progress) -> tuple[Model, Choice, str]:
    """The model, on which engine and why, and a notice for the user if that is news.

    Measures the engines if need be, which takes both of them some passes.
    """
    choice = known_choice(spec)
    if choice is not None:
        try:
            notice = f"The model runs on {choice.said}." if choice.is_news else ""
            return load(choice.backend, progress), choice, notice
        except ModelUnsupported as error:
            if choice.backend != "openvino" or spec.engine in _SETTINGS or not is_library_here():
                raise
            return _fallen_back(load, progress, str(error))

    def part(first: float, last: float) -> Progress:
        return lambda done: progress(first + (last - first) * done)

    model = load("llama_cpp", part(0.0, 0.2))
    theirs = _seconds(model)
    model.close()
    try:
        model = load("openvino", part(0.2, 0.8))
    except (ModelUnsupported, OutOfMemory) as error:
        return _fallen_back(load, part(0.8, 1.0), str(error))
    times = theirs / _seconds(model)
    backend = "openvino" if times >= WORTH else "llama_cpp"
    why = f"{times:.1f} times as fast as llama.cpp when it was measured"
    choice = Choice(backend, why if backend == "openvino" else f"OpenVINO was {why}")
    keep(*_place(Path(spec.name)), {"backend": choice.backend, "why": choice.why})
    if backend == "llama_cpp":
        model.close()
        model = load("llama_cpp", part(0.8, 1.0))
    notice = f"The model runs on {choice.said}. It will stay so; model.engine names another."
    return model, choice, notice


def _fallen_back(load: Load, progress: Progress, why: str) -> tuple[Model, Choice, str]:
    choice = Choice("llama_cpp", "OpenVINO cannot run it here")
    return load("llama_cpp", progress), choice, f"llama.cpp runs the model: {why}"


def _if_supported(file: Path, otherwise: Choice | None) -> Choice | None:
    from editd.models.openvino.reading import read_file

    try:
        read_file(file)
    except ModelUnsupported:
        return Choice("llama_cpp", "editd builds no such network for OpenVINO")
    return otherwise


def _seconds(model: Model) -> float:
    """About what an edit takes, by the least of a few passes of each kind."""
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
    took(model, {rows: least[rows] for rows, _ in _PASSES})  # the first edit is reckoned with it
    return _READS * least[_READ] + sum(count * least[rows] for rows, count in _PASSES)


def _place(file: Path) -> tuple[str, str]:
    """Under which key and name the choice is kept: of a processor and a file."""
    seen: list[Any] = [os.fspath(file.absolute())]
    seen += [(part.stat().st_size, part.stat().st_mtime_ns) for part in parts_of(file)]
    name = hashlib.sha256(json.dumps(seen).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"engine on {processor()}", f"{file.stem} {name}"
