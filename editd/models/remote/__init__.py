"""A model on a server that speaks OpenAI's API.

Loaded through the registry like any backend (``load``), but it writes whole answers (``text_source``)
instead of verifying tokens. Modules, in reading order::

    server           the server's address and key, and whether text may be sent to it
    abilities        the features that the server's list of models reports
    request          the body of a request, changed until the server accepts it
    http_thread      HTTP in a separate thread; answers arrive event by event
    events           the body of an answer as JSON objects
    chunk            the contents of such an object: text, thoughts, the reason for an end, an error, figures
    streamed_answer  an answer as it streams in, and how the stream ends
    faults           the errors of servers, each as one sentence
    remote_model     the model and its text source, as the engine uses them

Text leaves the machine from this package alone. Nothing in it logs any text.
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
    """A model on the server at ``spec.url``; nothing is sent before its first request.

    ``progress`` and ``most_bytes`` are ignored. Raises ``ConfigError`` if text may not be sent to
    that address or its key cannot be used, ``ModelUnsupported`` if httpx2 is not installed.
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
