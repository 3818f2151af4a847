"""A GGUF file's header: read fast, and its tokenizer written as a model folder.

The ``gguf`` package's reader makes several numpy views of each word of a vocabulary: 150,000 words and their merges
take ten seconds. This module reads a long array at once.

llama.cpp stores the name of a pre-tokenizer, not its rules. ``_PRE_TOKENIZERS`` has the rules, taken from llama.cpp's
source (``llama_vocab``, pre-tokenizer types). Tokenizer and chat template are written to the user's cache, where all
of editd's processes read them like any model folder. For a file with an unknown pre-tokenizer, the folder names the
file, and llama.cpp's own tokenizer (``own_tokenizer``) is used.
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

from editd.errors import ModelDamaged, ModelUnsupported
from editd.files.local_cache import cache_dir, not_kept
from editd.models.model_folder import check_regular

_LONG_ARRAY = 64  # elements; what describes a model's shape is shorter

_FORMAT = 4  # of the folders in the cache
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5  # token types
_ENDS = ("eos", "eot", "eom")
_NO_TOKENIZER = ("none", "no_vocab")
_CONFIGURATION = "tokenizer_config.json"
_NAMES = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}

SOURCE = "gguf.json"
"""The file in a folder that names the GGUF file, the model's shape by its header, and the tokens that may end an
answer.
"""

_LONG = 4096  # characters; a shape's numbers, one a layer at most, are shorter


def read_header(file: Path) -> dict[str, Any]:
    """The values of the header by name. A damaged file can raise any exception."""
    return {name: value_of(field) for name, field in open_file(file).fields.items()}


def open_file(file: Path) -> Any:
    """The ``gguf`` package's reader of ``file``, whose tensors are mapped into memory.

    A damaged file can raise any exception.
    """
    check_regular(file)
    return _quick_reader()(file)


def value_of(field: Any) -> Any:
    """The value of a field of such a reader."""
    values = field.parts[-1]
    return values if isinstance(values, list) else field.contents()


@cache
def _quick_reader() -> Any:
    """The class ``QuickReader``, a GGUF reader that takes a long array of a header at once: its
    values become a list in the field's parts, and the field's data stay empty. Made at the first
    call, which imports gguf.
    """
    from gguf import GGUFReader, GGUFValueType

    class QuickReader(GGUFReader):
        """Leaves the values of a long array as a list in the field's parts, and its data empty."""

        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            read_plainly = super()._get_field_parts
            if raw_type != GGUFValueType.ARRAY or self.byte_order != "I":
                return read_plainly(orig_offs, raw_type)
            data: Any = self.data
            blob = memoryview(data)
            kind, count = struct.unpack_from("=IQ", blob, orig_offs)
            start = orig_offs + 12
            scalar = self.gguf_scalar_to_np.get(kind)
            if count < _LONG_ARRAY or (scalar is None and kind != GGUFValueType.STRING):
                return read_plainly(orig_offs, raw_type)
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
    """The ``count`` strings from the offset ``start`` of ``blob``, each preceded by its length in
    eight bytes, and the offset of their end.

    Raises ``ValueError`` if any is no UTF-8 or the last goes beyond the end, ``struct.error`` if a
    length does.
    """
    strings, position = [], start
    read_length = struct.Struct("=Q").unpack_from
    for _ in range(count):
        (length,) = read_length(blob, position)
        position += 8 + length
        strings.append(str(blob[position - length : position], "utf-8"))
    if position > len(blob):
        raise ValueError("a string is cut short")
    return strings, position


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """The rule that cuts text into words before they are merged.

    pattern: a regular expression for a word; empty for GPT-2's own rule.
    digits: each is a word, cut off before anything else.
    whole_words: a word of the vocabulary is taken whole, whatever the merges say.
    opens: a prompt begins with BOS if the header says nothing.
    """

    pattern: str = ""
    digits: bool = False
    whole_words: bool = False
    opens: bool = False


_QWEN2 = PreTokenizer(rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}")
_LLAMA3 = PreTokenizer(
    rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}", whole_words=True, opens=True
)
_PRE_TOKENIZERS = {
    "gpt-2": PreTokenizer(),
    "smollm": PreTokenizer(digits=True),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen"), _QWEN2),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3"), _LLAMA3),
}


def described_folder(file: Path) -> Path:
    """A folder in the user's cache with the chat template and the tokenizer of ``file``, or
    ``SOURCE`` alone in the tokenizer's place; written now unless it is there.

    A changed size or time of ``file`` makes another folder. Raises ``ModelDamaged`` if the header
    cannot be read, ``ModelUnsupported`` if the file has no tokenizer or the folder cannot be
    written, ``OSError`` if ``file`` is missing, ``KeyError`` or ``ValueError`` as ``tokenizer``.
    """
    status = file.stat()
    name = os.fsencode(file.absolute())
    stamp = json.dumps([_FORMAT, status.st_size, status.st_mtime_ns]).encode()
    folder = cache_dir() / "llama_cpp" / hashlib.sha256(name + stamp).hexdigest()[:24]
    if (folder / _CONFIGURATION).is_file():
        return folder
    files = _folder_content(file, stamp.decode())
    try:
        _write_folder(folder, files)
    except OSError as error:
        raise ModelUnsupported(
            not_kept(f"The header of {file.name}", folder.parent, error)
        ) from error
    return folder


def tokenizer_file(folder: Path) -> Path:
    """The file of a model folder that determines the tokens of a text: ``tokenizer.json``, or ``SOURCE`` if it has
    none.
    """
    content = folder / "tokenizer.json"
    return content if content.is_file() or not (folder / SOURCE).is_file() else folder / SOURCE


def pre_tokenizer_of(fields: dict[str, Any]) -> PreTokenizer | None:
    """The pre-tokenizer of a file with these fields; ``None`` if it is unknown."""
    known = fields.get("tokenizer.ggml.model") == "gpt2"
    return _PRE_TOKENIZERS.get(fields.get("tokenizer.ggml.pre", "gpt-2")) if known else None


def _folder_content(file: Path, stamp: str) -> dict[str, Any]:
    """The files of a described folder, as JSON values by name: ``tokenizer.json`` only if the
    pre-tokenizer is known.

    Raises ``ModelDamaged`` for a header that cannot be read or has a token twice,
    ``ModelUnsupported`` without a tokenizer, ``KeyError`` or ``ValueError`` as ``tokenizer``.
    """
    try:
        fields = read_header(file)
    except Exception as error:  # the reader raises whatever its arrays raise
        raise ModelDamaged(f"{file} is cut short or damaged: download it again.") from error
    kind = fields.get("tokenizer.ggml.model")
    if "tokenizer.ggml.tokens" not in fields or kind in _NO_TOKENIZER:
        raise ModelUnsupported(f"{file.name} has no tokenizer: choose a complete model.")
    words = fields["tokenizer.ggml.tokens"]
    if len({*words}) < len(words):  # llama.cpp would end the process
        raise ModelDamaged(f"{file.name} has the same token twice: download another copy.")
    source = {
        "file": str(file.absolute()),
        "stamp": stamp,
        "shape": _shape(fields),
        "may_end": _end_candidates(fields),
        "has_words": kind != "gpt2" or "tokenizer.ggml.pre" in fields,
    }
    files = {SOURCE: source, _CONFIGURATION: _configuration(fields)}
    if (pre_tokenizer := pre_tokenizer_of(fields)) is not None:
        files["tokenizer.json"] = tokenizer(fields, pre_tokenizer)
    return files


def _write_folder(folder: Path, files: dict[str, Any]) -> None:
    """Write ``files`` as JSON into the new folder ``folder``, all or none; does nothing if another
    process has written it meanwhile. Raises ``OSError``.
    """
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


def tokenizer(fields: dict[str, Any], pre_tokenizer: PreTokenizer) -> dict[str, Any]:
    """The content of ``tokenizer.json`` for a header: byte-level BPE, with BOS first if the header
    or the pre-tokenizer says so.

    Unused tokens are left out. Raises ``KeyError`` or ``ValueError`` for a header that lacks merges
    or has not as many types as tokens.
    """
    words: list[str] = fields["tokenizer.ggml.tokens"]
    kinds: list[int] = fields.get("tokenizer.ggml.token_type") or [1] * len(words)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    steps: list[dict[str, Any]] = []
    if pre_tokenizer.digits:
        steps.append({"type": "Digits", "individual_digits": True})
    if pre_tokenizer.pattern:
        pattern = {"Regex": pre_tokenizer.pattern}
        steps.append({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
    steps.append({**byte_level, "use_regex": not pre_tokenizer.pattern})
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
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
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
            "ignore_merges": pre_tokenizer.whole_words,
        },
    }
    opening = fields.get("tokenizer.ggml.bos_token_id")
    if opening is not None and fields.get("tokenizer.ggml.add_bos_token", pre_tokenizer.opens):
        content["post_processor"] = _opened_by(words[opening], int(opening))
    return content


def _opened_by(word: str, token_id: int) -> dict[str, Any]:
    """The JSON of a post-processor that puts the token ``word`` before every text."""
    special = {"SpecialToken": {"id": word, "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [special, text],
        "pair": [special, text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {word: {"id": word, "ids": [token_id], "tokens": [word]}},
    }


def shape(folder: Path) -> dict[str, Any]:
    """The header's values on the model's architecture, by GGUF's names without the architecture's."""
    found: dict[str, Any] = json.loads((folder / SOURCE).read_text(encoding="utf-8"))["shape"]
    return found


def end_candidates(folder: Path) -> frozenset[int]:
    """Tokens that the header types as control tokens, or names as ends.

    llama.cpp takes more for ends, by their words: the ``</s>`` of a vocabulary in which it is plain text would cut an
    answer short that writes HTML.
    """
    return frozenset(json.loads((folder / SOURCE).read_text(encoding="utf-8"))["may_end"])


def quality_notice(folder: Path, name: str, *, has_template: bool) -> str:
    """A sentence about what a GGUF file lacks, which makes answers worse without a word; empty if
    it lacks nothing, or the model is no GGUF file.

    Looked at are the rule by which text is cut into words, and a chat template. folder: of
    ``described_folder``, or of another model. name: of the model. has_template: whether it has a
    chat template, or needs none.
    """
    if not (folder / SOURCE).is_file():
        return ""
    source = json.loads((folder / SOURCE).read_text(encoding="utf-8"))
    lacks = [
        *([] if source["has_words"] else ["the rule by which it cuts text into words"]),
        *([] if has_template else ["a chat template"]),
    ]
    if not lacks:
        return ""
    return (
        f"{name} comes without {' and without '.join(lacks)}, so its answers are worse and slower than they could be: "
        "download a newer copy, or one for chats."
    )


def _end_candidates(fields: dict[str, Any]) -> list[int]:
    """The ids of control tokens, then of the tokens that the header names as ends (``eos``,
    ``eot``, ``eom``); some may stand twice.
    """
    kinds = enumerate(fields.get("tokenizer.ggml.token_type", ()))
    named = [f"tokenizer.ggml.{name}_token_id" for name in _ENDS]
    control = [number for number, kind in kinds if kind == _CONTROL]
    return [*control, *(int(fields[name]) for name in named if name in fields)]


def _shape(fields: dict[str, Any]) -> dict[str, Any]:
    """The header's values on the architecture, without its prefix, with ``architecture``, empty if the header names
    none, and ``words``, the number of tokens; values of 4,096 characters or more are left out. Raises ``KeyError``
    without the tokenizer's tokens.
    """
    architecture = str(fields.get("general.architecture", ""))
    values = {
        name.removeprefix(f"{architecture}."): value
        for name, value in fields.items()
        if name.startswith(f"{architecture}.") and len(str(value)) < _LONG
    }
    return {**values, "architecture": architecture, "words": len(fields["tokenizer.ggml.tokens"])}


def _configuration(fields: dict[str, Any]) -> dict[str, Any]:
    """The content of ``tokenizer_config.json``: the words of special tokens, and the chat template,
    as far as the header has them.
    """
    words = fields["tokenizer.ggml.tokens"]
    values: dict[str, Any] = {
        name: words[fields[key]]
        for name, key_name in _NAMES.items()
        if (key := f"tokenizer.ggml.{key_name}_token_id") in fields
    }
    if template := fields.get("tokenizer.chat_template"):
        values["chat_template"] = template
    return values
