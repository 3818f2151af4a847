"""A byte-level BPE tokenizer made for copying code.

A model that copies must find its place by what stands before it, so equal text should mean equal
tokens wherever it stands. Merges therefore stay inside small pieces: identifiers are cut at ``_``
and at capitals, so that ``parse`` in ``parse_header`` has the tokens of ``parse``; digits are
single; a line end and the indent after it are one piece; spaces stick to punctuation and keywords,
never to identifiers. Spells any text exactly (no normaliser, all 256 bytes).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from editd.prompts.formats.embedded import CONTROL_TOKENS, END
from training.families import GENERATORS
from training.families.wording import WORDS

VOCABULARY = 4096

_KEYWORDS = (
    "def |class |return |import |from |if |elif |for |while |not |raise |assert |yield |with |del "
    "|await |async |const |let |var |function |func |fn |pub |new |static |export |struct |type "
    "| in | is | and | or | as | if | else | import | from "
)
_PIECES = (
    r"\n[ \t]*"  # a line end with the next line's indent
    rf"|(?<![A-Za-z0-9_])(?:{_KEYWORDS})"
    r"|\d"
    r"|_*[A-Z]?[a-z]+|_*[A-Z]+(?![a-z])|_+"  # the words of an identifier, each with its underscores
    r"| ?[^\w\s]+ ?| +|[^\x00-\x7f]+|\s"
)


def train_tokenizer(texts: Iterable[str], vocabulary: int = VOCABULARY) -> Tokenizer:
    """A tokenizer of ``vocabulary`` tokens at most; the control tokens are the first ids.

    The families' own words are always among the texts, so that instructions are short.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[AddedToken(token, special=True) for token in CONTROL_TOKENS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator([*texts, *_own_words()], trainer)
    return tokenizer


def write_tokenizer(tokenizer: Tokenizer, folder: Path, max_positions: int) -> None:
    """``tokenizer.json`` and its configuration, as ``AutoTokenizer`` reads them."""
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "pad_token": END,
        "clean_up_tokenization_spaces": False,
        "model_max_length": max_positions,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")


def template_words() -> str:
    """All text that instructions and inserted code are made of, to be kept from being permuted."""
    phrasings = [item for family in GENERATORS.values() for item in family.phrasings]
    templates = [text for item in phrasings for text in (*item.training, *item.held_out)]
    inserted = (
        'logging.debug("x called") logging.exception("x failed") raise try: except Exception: '
        "info warning error int str bool float list dict bytes Any None Path Callable set tuple "
        "object import from ValueError KeyError OSError TypeError RuntimeError return True False "
        'function method class parameter argument variable attribute field the print f"{x}" .format'
    )
    return "\n".join([*templates, *(text.capitalize() for text in templates), inserted])


def _own_words() -> list[str]:
    return [template_words()] * 40 + [" ".join(WORDS), "_".join(WORDS)] * 10
