"""Stores as other programs lay them out, in a home of their own, with small real GGUF files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import gguf
import numpy as np

from editd.stores import layouts

MODEL = "application/vnd.ollama.image.model"
LIST = "application/vnd.ollama.manifest.list.v2+json"


class Home:
    """A home folder; each method puts a model where its program would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ollama_models = folder / ".ollama" / "models"
        self.hub = folder / ".cache" / "huggingface" / "hub"

    def use(self, monkeypatch):
        """Make it the home of this process."""
        from huggingface_hub import constants

        self.folder.mkdir(exist_ok=True)
        monkeypatch.setenv("HOME", str(self.folder))
        for name in ("OLLAMA_MODELS", "LLAMA_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(self.hub))
        monkeypatch.setattr(layouts, "OLLAMA_SERVICES", ())
        return self

    def blob(self, content: bytes) -> str:
        """Its digest, once it lies among Ollama's blobs."""
        digest = hashlib.sha256(content).hexdigest()
        put(self.ollama_models / "blobs" / f"sha256-{digest}", content)
        return f"sha256:{digest}"

    def ollama(self, name: str, content: bytes, *, newer: bool = False) -> Path:
        """``HOST/NAMESPACE/MODEL/TAG``, as before 0.40, or as a link to a manifest among the blobs."""
        digest = self.blob(content)
        layers = [
            {"mediaType": "application/vnd.ollama.image.license", "digest": self.blob(b"MIT")},
            {"mediaType": MODEL, "digest": digest, "size": len(content)},
        ]
        manifest = json.dumps({"schemaVersion": 2, "layers": layers}).encode()
        if newer:
            child = {"runner": "llamacpp", "digest": self.blob(manifest)}
            other = {"runner": "mlx", "digest": self.blob(b"{}")}
            listed = {"mediaType": LIST, "manifests": [other, child]}
            link = self.ollama_models / "manifests-v2" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            blob = self.blob(json.dumps(listed).encode()).replace(":", "-")
            link.symlink_to(self.ollama_models / "blobs" / blob)
        else:
            put(self.ollama_models / "manifests" / name, manifest)
        return self.ollama_models / "blobs" / digest.replace(":", "-")

    def lm_studio(self, name: str, content: bytes) -> Path:
        """``PUBLISHER/MODEL/FILE.gguf``."""
        return put(self.folder / ".lmstudio" / "models" / name, content)

    def llama_cpp(self, name: str, content: bytes) -> Path:
        """``OWNER_MODEL_FILE.gguf``, with what it keeps beside."""
        folder = self.folder / ".cache" / "llama.cpp"
        put(folder / f"{name}.json", b'{"etag": "x"}')
        return put(folder / name, content)

    def hugging_face(
        self, repository: str, name: str, content: bytes, revision: str = "a" * 40
    ) -> Path:
        """A file of a repository, linked into a snapshot; the last revision written is ``main``."""
        root = self.hub / f"models--{repository.replace('/', '--')}"
        put(root / "refs" / "main", revision.encode())
        blob = put(root / "blobs" / hashlib.sha256(content).hexdigest(), content)
        link = root / "snapshots" / revision / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
        return link


def put(file: Path, content: bytes) -> Path:
    """``file``, written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def small_gguf(folder: Path, *, architecture: str = "qwen2", context: int = 4096, seed: int = 0):
    """The bytes of a GGUF file with a header as converters write them, and one tensor."""
    path = folder / f"{architecture}-{context}-{seed}.gguf"
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(context)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_tensor("token_embd.weight", np.full((8, 32), seed, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()
