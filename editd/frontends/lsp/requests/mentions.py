"""``editd/mentions``: the names that may follow ``@`` in an instruction, while it is typed."""

from __future__ import annotations

import sys
from collections.abc import Awaitable

from editd.frontends.lsp.methods import MentionEntry, MentionList, MentionsParams
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.trusted_folders import local_path
from editd.offload import offload


def mentions(session: Session, params: MentionsParams) -> Awaitable[MentionList]:
    """Take the document's text now and return an awaitable of the names that fit, looked for in a thread: files and
    definitions of the folder that an instruction may name (``Snapshot.mention_root``), and definitions of the document,
    if it is open.
    """
    uri = params.text_document.uri
    snapshot = session.snapshot(uri)
    text = snapshot.document.text if snapshot.document else ""
    return _find(params.prefix, snapshot.mention_root(uri), text, local_path(uri) or uri)


async def _find(prefix: str, root: str, text: str, file: str) -> MentionList:
    """The names that fit, as ``find_mention_names`` finds them, which reads files in a thread."""
    from editd.workspace.mention_names import find_mention_names  # few complete anything

    found = await offload(sys.maxsize, find_mention_names, prefix, root, text, file)
    return MentionList(tuple(MentionEntry(x.name, x.kind, x.path or None) for x in found))
