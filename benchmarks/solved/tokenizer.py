"""A byte-level BPE tokenizer trained on the edits themselves, in a tenth of a second.

Spells any text exactly (no normaliser, all 256 bytes), but is short only for the texts it was
trained on. Training is deterministic: equal edits give an equal ``tokenizer.json``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

# Where merges may not cross, as in the Qwen and GPT-4 families: a word with the space before it,
# single digits, runs of punctuation with the newlines after them, runs of space.
_PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def train_tokenizer(
    texts: Iterable[str], vocab_size: int, control_tokens: Sequence[str]
) -> Tokenizer:
    """A tokenizer of at most ``vocab_size`` tokens; ``control_tokens`` are the first ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[AddedToken(token, special=True) for token in control_tokens],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
