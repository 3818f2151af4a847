"""``python -m benchmarks.tekken OUT``: the 131k BPE vocabulary that mistral-common carries, converted.

Its wheel holds byte strings with ranks; the ``tokenizers`` library wants merges. Every split of a
token into two others is a merge with that token's rank, which is what rank-ordered BPE does.
``OUT`` becomes a folder with a ``tokenizer.json`` that ``python -m benchmarks replay --tokenizer OUT`` reads.
"""

from __future__ import annotations

import argparse
import base64
import importlib.util
import json
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from tests.model_free_codec import BYTE_TO_CHAR

_NAME = "tekken_240911.json"


def main() -> int:
    """Convert and say what was written; 2 when the vocabulary is not to be found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tekken", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write tokenizer.json to")
    parser.add_argument("--source", type=Path, help=f"a {_NAME}; else the installed package's")
    arguments = parser.parse_args()
    source = arguments.source or installed_vocabulary()
    if source is None or not source.is_file():
        print(
            "No vocabulary found. Install mistral-common (pip install --no-deps mistral-common) "
            f"or name a {_NAME} with --source.",
            file=sys.stderr,
        )
        return 2
    tokenizer = convert(json.loads(source.read_text(encoding="utf-8")))
    arguments.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(arguments.out / "tokenizer.json"))
    print(f"{arguments.out / 'tokenizer.json'}: {tokenizer.get_vocab_size()} tokens")
    return 0


def installed_vocabulary() -> Path | None:
    """The file in the installed mistral-common, found without importing it."""
    found = importlib.util.find_spec("mistral_common")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "data" / _NAME


def convert(tekken: dict[str, object]) -> Tokenizer:
    """A ``tokenizers`` BPE that splits as the vocabulary's own rank-ordered merging does."""
    config = tekken["config"]
    entries = tekken["vocab"]
    assert isinstance(config, dict)  # noqa: S101  the two fields that the format always has
    assert isinstance(entries, list)  # noqa: S101
    num_tokens = config["default_vocab_size"] - config["default_num_special_tokens"]
    tokens = [base64.b64decode(entry["token_bytes"]) for entry in entries[:num_tokens]]
    vocab = {"".join(BYTE_TO_CHAR[byte] for byte in token): i for i, token in enumerate(tokens)}
    merges = []
    for spelled in vocab:  # in order of rank
        splits = [(spelled[:i], spelled[i:]) for i in range(1, len(spelled))]
        splits = [(left, right) for left, right in splits if left in vocab and right in vocab]
        splits.sort(key=lambda split: (vocab[split[0]], vocab[split[1]]))
        merges.extend(splits)
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(config["pattern"]), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


if __name__ == "__main__":
    raise SystemExit(main())
