"""A model on a server that speaks OpenAI's API.

Loaded through the registry like any backend (``load``), but it writes whole answers (``text_source``)
instead of verifying tokens. Modules, in reading order::

    server           where it is, by which key, and whether text may go there
    abilities        what its list of models says that it can do
    request          the body of a request, and what becomes of it when the server refuses it
    http_thread      HTTP in a separate thread; answers arrive event by event
    events           the body of an answer as JSON objects
    chunk            what such an object holds: text, thoughts, the word for an end, an error, figures
    streamed_answer  an answer as it streams in, and how it ends
    faults           what goes wrong with servers, each as one sentence
    writer           the model, as the engine keeps and uses it

This is the only package from which text leaves the machine. Nothing here logs any of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from editd.errors import ModelUnsupported
from editd.installed import with_extra

if TYPE_CHECKING:
    from editd.models.model import ModelSpec, Progress
    from editd.models.remote.remote_model import RemoteModel


def load(
    spec: ModelSpec,
    progress: Progress | None = None,  # noqa: ARG001  nothing is loaded
    *,
    most_bytes: int | None = None,  # noqa: ARG001
) -> RemoteModel:
    """As ``models.model.Backend.load``; the server is not asked before the first request.

    Raises ``ConfigError`` where text may not go to ``spec.url``.
    """
    try:
        from editd.models.remote.remote_model import RemoteModel
    except ModuleNotFoundError as error:
        if error.name != "httpx2":
            raise
        raise ModelUnsupported(
            "A server as the model (model.engine) needs httpx2. Install it with: "
            f"{with_extra('remote')}"
        ) from error
    from editd.models.remote.server import address_of

    address = address_of(spec.url, spec.key_file, plain=spec.allow_plain_http)
    return RemoteModel(spec, address)
