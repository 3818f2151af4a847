"""The tokenizer of a server's model, if this machine has it.

With it, token counts match the server's, and editd writes the prompt to the last token.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from editd.errors import ModelNotFound
from editd.models.manifest import read_manifest
from editd.models.model import ModelCodec
from editd.models.text.chat_template import load_chat
from editd.models.text.codec import load_codec
from editd.prompts.base import RenderChat
from editd.stores.hub import expanded, local_folder


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """manifest: ``editd.json``, if the model has one; it names the format of its prompts."""

    codec: ModelCodec
    render_chat: RenderChat | None
    manifest: dict[str, Any]


def tokenizer_in(name: str) -> Tokenizer:
    """That of a folder, or of a hub id that was pulled. Raises ``ModelNotFound`` or
    ``ModelDamaged``.
    """
    folder = expanded(name)
    if not (folder / "tokenizer.json").is_file():
        pulled = None if folder.is_absolute() else local_folder(name)
        if pulled is None or not (pulled / "tokenizer.json").is_file():
            raise ModelNotFound(
                f"model.tokenizer is {name}, which has no tokenizer.json: name the model's "
                f"folder or a pulled hub id (editd models pull)."
            )
        folder = pulled
    return Tokenizer(
        load_codec(folder),
        # Templates are transformers' to render; without it the server puts its own around an edit.
        load_chat(folder) if find_spec("transformers") else None,
        read_manifest(folder),
    )
