"""A model on a server that speaks OpenAI's API.

Loaded through the registry like any backend (``load``), but it writes whole answers (``engine.writer``)
instead of verifying tokens. Modules, in reading order::

    address      where the server is, by which key, and whether text may go there
    abilities    what it can do, asked once
    tokenizer    the model's own, if this machine has it
    asking       the body of a request for an answer
    events       server-sent events out of bytes
    line         HTTP in a separate thread; answers arrive piece by piece
    faults       what goes wrong with servers, each as one sentence
    writing      an answer as it streams in
    counts       what the server counted of it
    writer       the model, as the engine keeps and uses it

This is the only package from which text leaves the machine. Nothing here logs any of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from editd.errors import ModelUnsupported
from editd.installed import with_extra

if TYPE_CHECKING:
    from editd.models.model import ModelSpec, Progress
    from editd.models.remote.writer import RemoteModel


def load(
    spec: ModelSpec,
    progress: Progress | None = None,  # noqa: ARG001  nothing is loaded
    *,
    most_bytes: int | None = None,  # noqa: ARG001
) -> RemoteModel:
    """As ``models.model.Backend.load``; the server is not asked before the first request.

    Raises ``ConfigError`` where text may not go to ``spec.url``, and ``ModelNotFound`` where the
    tokenizer that was named is not here.
    """
    try:
        from editd.models.remote.writer import RemoteModel
    except ModuleNotFoundError as error:
        if error.name != "httpx2":
            raise
        raise ModelUnsupported(
            "A server as the model (model.engine) needs httpx2. Install it with: "
            f"{with_extra('remote')}"
        ) from error
    from editd.models.remote.address import address_of
    from editd.models.remote.tokenizer import tokenizer_in

    address = address_of(spec.url, spec.key_file, plain=spec.allow_plain_http)
    return RemoteModel(spec, address, tokenizer_in(spec.tokenizer) if spec.tokenizer else None)
