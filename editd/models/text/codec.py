"""Text to token ids and back, byte for byte.

Implements ``decode.drafters.base.Codec``. Knows texts and their borders: which parts of a prompt are
data, and where a prompt can end safely. The ids of a piece of text come from the tokenizer
(``words.Words``): a ``tokenizer.json``, or one that a backend provides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from editd.breathing import breathe
from editd.errors import ModelUnsupported
from editd.models.text.cutting import Cutter, Encoding
from editd.models.text.token_bytes import Vocabulary
from editd.models.text.tokenizer_file import read_tokenizer
from editd.models.text.words import FileWords, Words

_SAMPLE = (
    "def f(a, *, b=1):\n\tif a  >= b:\n        return {'x': [a, b]}  # größer, 漢字, Привет\n\n"
    '    s = """🙂👩‍👩‍👧 e\u0301 \u00e9"""\n\n\n#endif\n   \n\t\t} // 12345.678e-9 \\\\ \x0c\u2028 end\n'
)
_FEW_PARTS = 1000  # short parts of a text that are read in a piece

Segments = Sequence[tuple[str, bool]]
"""A text in pieces, each with whether it is control (``prompts.base.Prompt.segments``)."""


class ModelCodec:
    """A model's tokenizer, as ``decode`` and ``prompts`` need it.

    Control tokens spell nothing. Raises ``ModelUnsupported`` for a tokenizer that cannot spell
    code exactly.
    """

    def __init__(self, tokenizer: Tokenizer | Words, *, vocab_size: int = 0) -> None:
        words: Words = FileWords(tokenizer) if isinstance(tokenizer, Tokenizer) else tokenizer
        self._words = words
        self.vocabulary: Vocabulary = words.vocabulary
        self._vocab_size = max(vocab_size, len(self.vocabulary))
        self._cutter = Cutter(self.vocabulary, knows_words=words.knows_words)
        self._prove_exact()

    @property
    def vocab_size(self) -> int:
        """Ids that the model may choose from; the last ones may mean nothing."""
        return self._vocab_size

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that one token adds to the text; empty for a control token."""
        return self.vocabulary[token_id]

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text that the ids spell; bytes that are not UTF-8 (yet) become U+FFFD."""
        return b"".join(map(self.vocabulary.__getitem__, token_ids)).decode(errors="replace")

    def encode(self, text: str, after: str = "") -> list[int]:
        """Ids of ``text`` as it is tokenised when it follows the text ``after``.

        A token that straddles the border is returned whole, as the first id. Words of control
        tokens in ``text`` are plain text here.
        """
        ids = self._ids(after + text, inside=True, control_words=False)
        border = len(after.encode())
        position = 0
        for index, token_id in enumerate(ids):
            position += len(self.vocabulary[token_id])
            if position > border:
                return ids[index:]
        return []

    def prompt_ids(self, prompt: str | Segments) -> list[int]:
        """Ids of a whole prompt; in its control pieces, words of control tokens mean these tokens.

        Plain text gets the opening token (BOS) that the tokenizer gives plain text; a prompt that
        opens with a control token was written by a template and stays as it is.
        """
        segments = ((prompt, True),) if isinstance(prompt, str) else prompt
        if self._clash(segments):
            ids = self._encode_apart(segments)
        else:
            text = "".join(piece for piece, _ in segments)
            ids = self._ids(text, inside=False, control_words=True)
        opening = self._words.opening_ids
        if opening and not (ids and self.vocabulary[ids[0]] == b""):
            return [*opening, *ids]
        return ids

    def heal(self, prompt: str | Segments) -> tuple[list[int], bytes]:
        """The prompt without its last tokens if longer ones could take their place.

        Returns the ids and the bytes cut off, whole characters, which the answer's first tokens
        must spell (``ids_with_prefix``). Where a prompt ends in a newline, a model that knows a
        token for newline and indent together would never write that newline alone: without
        healing, the first token of the answer is an improbable one.
        """
        ids = self.prompt_ids(prompt)
        text = prompt if isinstance(prompt, str) else "".join(piece for piece, _ in prompt)
        ending = text.encode()[-self.vocabulary.longest :]
        required = b""
        cut = len(ids)
        tail = b""
        for index in range(len(ids) - 1, 0, -1):
            spelled = self.vocabulary[ids[index]]
            tail = spelled + tail
            if not spelled or len(tail) >= self.vocabulary.longest or not ending.endswith(tail):
                break  # a control token, too long to be extended, or a dummy space
            if self.vocabulary.extends(tail) and not _inside_character(tail):
                cut, required = index, tail
        return ids[:cut], required

    def id_of(self, word: str) -> int | None:
        """The id of a token by its name in the tokenizer (``<|im_end|>``)."""
        return self._words.id_of(word)

    def word_of(self, token_id: int) -> str:
        """The name of a token, as ``id_of`` takes it; empty for an id without a token."""
        return self._words.word_of(token_id)

    def extends(self, spelled: bytes) -> bool:
        """Whether some token starts with ``spelled`` and is longer."""
        return self.vocabulary.extends(spelled)

    def ids_with_prefix(self, required: bytes) -> tuple[int, ...]:
        """All ids that spell ``required`` or a beginning of it; never empty bytes."""
        return self.vocabulary.spelling(required)

    def _ids(self, text: str, *, inside: bool, control_words: bool) -> list[int]:
        def reading(*, inside: bool) -> Callable[[str], Encoding]:
            return lambda piece: self._words.read(piece, inside, control_words)

        first, then = reading(inside=inside), reading(inside=True)
        sign, sign_ids = self._words.space_sign
        # Where "▁" means a space, the character itself can only be spelled byte by byte.
        parts = text.split(sign) if sign else [text]
        ids: list[int] = []
        for index, part in enumerate(parts):
            ids += sign_ids if index else []
            if part or not index:
                ids += self._cutter.read(then if index else first, then, part)
            if index % _FEW_PARTS == _FEW_PARTS - 1:
                breathe()
        return ids

    def _clash(self, segments: Segments) -> bool:
        """Whether data says a word of a control token."""
        return any(
            not control and self._words.control_words.search(text) for text, control in segments
        )

    def _encode_apart(self, segments: Segments) -> list[int]:
        """As a prompt is read, but blind to control words in data.

        Control tokens cut a text before it is tokenised; so do they here, and what lies between
        two of them is tokenised as one run that knows no control words.
        """
        runs, run = [], ""
        for text, control in segments:
            start = 0
            for match in self._words.control_words.finditer(text) if control else ():
                runs.append((run + text[start : match.start()], match[0]))
                run, start = "", match.end()
            run += text[start:]
        ids: list[int] = []
        for plain, word in [*runs, (run, "")]:
            if plain:
                ids += self._ids(plain, inside=False, control_words=False)
            if word and (found := self.id_of(word)) is not None:
                ids.append(found)
        return ids

    def _prove_exact(self) -> None:
        for text, after in ((_SAMPLE, ""), (_SAMPLE, "```python\n"), ("x", "\n"), (" x", "\n")):
            spelled = self.decode(self.encode(text, after))
            straddling = spelled.removesuffix(text)
            if not spelled.endswith(text) or not after.endswith(straddling):
                raise ModelUnsupported(
                    "The tokenizer of this model cannot spell code exactly (spaces, line ends or "
                    "characters get lost): choose a model with byte-level or byte-fallback tokens."
                )


def load_codec(folder: Path, *, vocab_size: int = 0, allow_remote_code: bool = False) -> ModelCodec:
    """The codec of the model in ``folder``, whose logits have ``vocab_size`` columns."""
    tokenizer = read_tokenizer(folder, allow_remote_code=allow_remote_code)
    return ModelCodec(tokenizer, vocab_size=vocab_size)


def _inside_character(spelled: bytes) -> bool:
    """Whether the first byte continues a UTF-8 character."""
    return spelled[0] & 0xC0 == 0x80
