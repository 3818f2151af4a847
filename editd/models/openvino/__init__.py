"""Models on OpenVINO, on the CPU: the only package that uses the library.

``reading`` reads what people have, ``weights`` keeps it as OpenVINO reads it, ``graph`` is the network, ``own_format``
one that is made already; ``paged`` runs passes and proves their widths, ``target`` decodes; ``loading`` joins them. Which processor this is is known here, because what was measured on one
says nothing about another.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from editd.errors import ModelUnsupported
from editd.installed import with_extra
from editd.models.model import Model, ModelSpec, Progress

# OpenVINO reports to its makers that it was imported, unless this package of its is missing.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]


def is_library_here() -> bool:
    """Whether OpenVINO is installed; imports nothing."""
    return find_spec("openvino") is not None


def require_library() -> None:
    """Raise ``ModelUnsupported`` where OpenVINO is not installed."""
    if not is_library_here():
        raise ModelUnsupported(
            f"OpenVINO is wanted, which is not installed: {with_extra('openvino')}"
        )


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> Model:
    """As ``model.Backend.load``; the name is a ``.gguf`` file or a folder with safetensors."""
    require_library()
    from editd.models.openvino.loading import load_model

    return load_model(spec, progress, most_bytes=most_bytes)


def processor() -> str:
    """Its name and a digest of what it can do."""
    known = _known()
    name = known.get("model name") or platform.processor() or platform.machine()
    flags = known.get("flags", known.get("Features", ""))
    return f"{name} {hashlib.sha256(flags.encode()).hexdigest()[:8]}"


def multiplies_bytes() -> bool:
    """Whether it has VNNI, which multiplies 8-bit integers several times as fast as floats."""
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(_known().get("flags", "").split())


@cache
def _known() -> dict[str, str]:
    """What Linux says of the first processor; nothing elsewhere."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    first = told.split("\n\n", maxsplit=1)[0].splitlines()
    return {key.strip(): value.strip() for key, _, value in (one.partition(":") for one in first)}
