"""Which processor this is: what was measured on one says nothing about another."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path


@cache
def processor() -> str:
    """Its name and a digest of what it can do."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # no Linux
        return f"{platform.processor() or platform.machine()}"
    first = told.split("\n\n", maxsplit=1)[0].splitlines()
    known = {key.strip(): value.strip() for key, _, value in (one.partition(":") for one in first)}
    name = known.get("model name", platform.machine())
    flags = known.get("flags", known.get("Features", ""))
    return f"{name} {hashlib.sha256(flags.encode()).hexdigest()[:8]}"
