"""Which processor this is: what was measured on one says nothing about another."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path


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
