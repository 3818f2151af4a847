"""A GGUF file's header: read fast, and its tokenizer written as a model folder.

The ``gguf`` package's reader makes several numpy views of each word of a vocabulary: 150,000 words and their merges
take ten seconds. Here a long array is read at once.

llama.cpp stores the name of a pre-tokenizer, not its rules. ``_CUTS`` has the rules, taken from
llama.cpp's source (``llama_vocab``, pre-tokenizer types). Tokenizer and chat template are written to the
user's cache, where all of editd's processes read them like any model folder. For a file with an
unknown pre-tokenizer, the folder names the file, and llama.cpp's own tokenizer (``words``) is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.files.local_cache import cache_dir
from editd.models.model_folder import check_regular

_LONG_ARRAY = 64  # elements; what describes a model's shape is shorter


def read_header(file: Path) -> dict[str, Any]:
    """All values by name. A damaged file can raise any exception."""
    return {name: value_of(field) for name, field in open_file(file).fields.items()}


def open_file(file: Path) -> Any:
    """The ``gguf`` package's reader of ``file``, whose tensors are mapped into memory."""
    check_regular(file)
    return _quick_reader()(file)


def value_of(field: Any) -> Any:
    """What a field of such a reader holds."""
    values = field.parts[-1]
    return values if isinstance(values, list) else field.contents()


@cache
def _quick_reader() -> Any:
    from gguf import GGUFReader, GGUFValueType

    class QuickReader(GGUFReader):
        """Leaves the values of a long array as a list in the field's parts, and its data empty."""

        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            plainly = super()._get_field_parts
            if raw_type != GGUFValueType.ARRAY or self.byte_order != "I":
                return plainly(orig_offs, raw_type)
            data: Any = self.data
            blob = memoryview(data)
            kind, count = struct.unpack_from("=IQ", blob, orig_offs)
            start = orig_offs + 12
            scalar = self.gguf_scalar_to_np.get(kind)
            if count < _LONG_ARRAY or (scalar is None and kind != GGUFValueType.STRING):
                return plainly(orig_offs, raw_type)
            if scalar is not None:
                array = self._get(start, scalar, count)
                values, end = array.tolist(), start + array.nbytes
                if len(values) != count:
                    raise ValueError("an array is cut short")
            else:
                values, end = _strings(blob, start, count)
            return end - orig_offs, [values], [], [GGUFValueType.ARRAY, GGUFValueType(kind)]

    return QuickReader


def _strings(blob: memoryview, start: int, count: int) -> tuple[list[str], int]:
    """``count`` strings, each behind its length in eight bytes, and where they end."""
    strings, position = [], start
    read_length = struct.Struct("=Q").unpack_from
    for _ in range(count):
        (length,) = read_length(blob, position)
        position += 8 + length
        strings.append(str(blob[position - length : position], "utf-8"))
    if position > len(blob):
        raise ValueError("a string is cut short")
    return strings, position


_FORMAT = 3  # of the folders in the cache
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@dataclass(frozen=True, slots=True)
class Cut:
    """How text becomes words before they are merged.

    pattern: what a word is, empty for GPT-2's own rule. digits: each is a word, cut off before
    anything else. whole_words: a word of the vocabulary is taken whole, whatever the merges say.
    opens: a prompt begins with BOS if the header says nothing.
    """

    pattern: str = ""
    digits: bool = False
    whole_words: bool = False
    opens: bool = False


_QWEN2 = Cut(rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}")
_LLAMA3 = Cut(rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}", whole_words=True, opens=True)
_CUTS = {
    "gpt-2": Cut(),
    "smollm": Cut(digits=True),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen"), _QWEN2),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3"), _LLAMA3),
}
_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5  # token types
_ENDS = ("eos", "eot", "eom")
_CONFIGURATION = "tokenizer_config.json"
_NAMES = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


SOURCE = "gguf.json"
"""Which file it is, what its header says of the model's shape, and which tokens may end an answer."""
_LONG = 4096  # characters; a shape's numbers, one a layer at most, are shorter


def described(file: Path) -> Path:
    """A folder with the tokenizer, or ``SOURCE``, and the chat template of ``file``.

    Raises ``ModelDamaged``, or ``ModelUnsupported`` where the folder cannot be written.
    """
    seen = file.stat()
    name = os.fsencode(file.absolute())
    stamp = json.dumps([_FORMAT, seen.st_size, seen.st_mtime_ns]).encode()
    folder = cache_dir() / "llama_cpp" / hashlib.sha256(name + stamp).hexdigest()[:24]
    if (folder / _CONFIGURATION).is_file():
        return folder
    files = _files(file, stamp.decode())
    try:
        _keep(folder, files)
    except OSError as error:
        raise ModelUnsupported(
            f"The contents of {file.name} cannot be cached in {folder.parent} "
            f"({first_line(error)}): make room there, or set EDITD_CACHE_DIR."
        ) from error
    return folder


def tokenizer_file(folder: Path) -> Path:
    """The file of such a folder, or of any model's, that says which tokens a text has."""
    content = folder / "tokenizer.json"
    return content if content.is_file() or not (folder / SOURCE).is_file() else folder / SOURCE


def cut_of(fields: dict[str, Any]) -> Cut | None:
    """How a file with these fields cuts text; ``None`` for a way that is not known here."""
    known = fields.get("tokenizer.ggml.model") == "gpt2"
    return _CUTS.get(fields.get("tokenizer.ggml.pre", "gpt-2")) if known else None


def _files(file: Path, stamp: str) -> dict[str, Any]:
    try:
        fields = read_header(file)
    except Exception as error:  # the reader raises whatever its arrays raise
        raise ModelDamaged(f"{file} is cut short or damaged: download it again.") from error
    if "tokenizer.ggml.tokens" not in fields:
        raise ModelUnsupported(f"{file.name} has no tokenizer: choose a complete model.")
    words = fields["tokenizer.ggml.tokens"]
    if len({*words}) < len(words):  # llama.cpp would end the process
        raise ModelDamaged(f"{file.name} has the same token twice: download another copy.")
    source = {
        "file": str(file.absolute()),
        "stamp": stamp,
        "shape": _shape(fields),
        "may_end": _may_end(fields),
    }
    files = {SOURCE: source, _CONFIGURATION: _configuration(fields)}
    if (cut := cut_of(fields)) is not None:
        files["tokenizer.json"] = tokenizer(fields, cut)
    return files


def _keep(folder: Path, files: dict[str, Any]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder.parent))
    try:
        for name, content in files.items():
            (unfinished / name).write_text(json.dumps(content), encoding="utf-8")
        try:
            unfinished.rename(folder)
        except OSError:  # another process may have been quicker
            if not (folder / _CONFIGURATION).is_file():
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def tokenizer(fields: dict[str, Any], cut: Cut) -> dict[str, Any]:
    """``tokenizer.json`` of a header: byte-level BPE."""
    words: list[str] = fields["tokenizer.ggml.tokens"]
    kinds: list[int] = fields.get("tokenizer.ggml.token_type") or [1] * len(words)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    cuts: list[dict[str, Any]] = []
    if cut.digits:
        cuts.append({"type": "Digits", "individual_digits": True})
    if cut.pattern:
        pattern = {"Regex": cut.pattern}
        cuts.append({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
    cuts.append({**byte_level, "use_regex": not cut.pattern})
    content: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [
            {
                "id": number,
                "content": word,
                "special": kind == _CONTROL,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
            }
            for number, (word, kind) in enumerate(zip(words, kinds, strict=True))
            if kind in (_CONTROL, _USER_DEFINED)
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
        "post_processor": None,
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            "type": "BPE",
            "vocab": {
                word: number
                for number, (word, kind) in enumerate(zip(words, kinds, strict=True))
                if kind != _UNUSED
            },
            "merges": [merge.split(" ", 1) for merge in fields["tokenizer.ggml.merges"]],
            "ignore_merges": cut.whole_words,
        },
    }
    opening = fields.get("tokenizer.ggml.bos_token_id")
    if opening is not None and fields.get("tokenizer.ggml.add_bos_token", cut.opens):
        content["post_processor"] = _opened_by(words[opening], int(opening))
    return content


def _opened_by(word: str, token_id: int) -> dict[str, Any]:
    special = {"SpecialToken": {"id": word, "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [special, text],
        "pair": [special, text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {word: {"id": word, "ids": [token_id], "tokens": [word]}},
    }


def shape(folder: Path) -> dict[str, Any]:
    """What the header says of the model, by GGUF's names without the architecture's."""
    found: dict[str, Any] = json.loads((folder / SOURCE).read_text(encoding="utf-8"))["shape"]
    return found


def may_end(folder: Path) -> frozenset[int]:
    """Tokens that the header calls control tokens, or ends.

    llama.cpp takes more for ends, by their words: the ``</s>`` of a vocabulary in which it is plain text
    would cut an answer short that writes HTML.
    """
    return frozenset(json.loads((folder / SOURCE).read_text(encoding="utf-8"))["may_end"])


def _may_end(fields: dict[str, Any]) -> list[int]:
    kinds = enumerate(fields.get("tokenizer.ggml.token_type", ()))
    named = [f"tokenizer.ggml.{name}_token_id" for name in _ENDS]
    control = [number for number, kind in kinds if kind == _CONTROL]
    return [*control, *(int(fields[name]) for name in named if name in fields)]


def _shape(fields: dict[str, Any]) -> dict[str, Any]:
    architecture = str(fields.get("general.architecture", ""))
    values = {
        name.removeprefix(f"{architecture}."): value
        for name, value in fields.items()
        if name.startswith(f"{architecture}.") and len(str(value)) < _LONG
    }
    return {**values, "architecture": architecture, "words": len(fields["tokenizer.ggml.tokens"])}


def _configuration(fields: dict[str, Any]) -> dict[str, Any]:
    words = fields["tokenizer.ggml.tokens"]
    values: dict[str, Any] = {
        name: words[fields[key]]
        for name, theirs in _NAMES.items()
        if (key := f"tokenizer.ggml.{theirs}_token_id") in fields
    }
    if template := fields.get("tokenizer.chat_template"):
        values["chat_template"] = template
    return values
