"""Models on OpenVINO, on the CPU: the only package that uses the library.

``reading`` reads a user's model files, ``converting`` stores their weights as OpenVINO reads them (``weights``),
``graph`` is the network, ``own_format`` a network that comes in OpenVINO's format; ``paged`` runs passes and proves
their widths, ``target`` decodes; ``loading`` joins them.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from editd.errors import ModelUnsupported
from editd.installed import with_extra

# OpenVINO reports to its makers that it was imported, unless this package of its is missing.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]


def is_library_installed() -> bool:
    """Whether OpenVINO is installed; imports nothing."""
    return find_spec("openvino") is not None


def require_library() -> None:
    """Raise ``ModelUnsupported`` if OpenVINO is not installed."""
    if not is_library_installed():
        raise ModelUnsupported(
            f"OpenVINO is wanted, which is not installed: {with_extra('openvino')}"
        )
