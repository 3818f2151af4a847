"""Bytes to text and back, without losing one of them.

The text keeps its byte order mark (U+FEFF) and its line ends: their meaning is left to ``diff``. An encoding is
believed only if it is declared (a BOM, or PEP 263's cookie in a Python file) or is UTF-8, and only if encoding the
text gives the same bytes again.
"""

from __future__ import annotations

import codecs
import io
import tokenize

from editd.errors import EditFailed, UsageError

# UTF-32-LE's mark begins with UTF-16-LE's, so the longer ones come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text of ``data`` (with its BOM and line ends) and its encoding: that of a BOM, in Python files that of the
    cookie, else UTF-8. name: of the file, for the cookie and for errors.

    Raises ``UsageError`` for bytes that are no text in it, an unknown encoding, NUL bytes outside of UTF-16 and UTF-32,
    and bytes that the text would not encode to again.
    """
    encoding = _declared_encoding(data, name)
    if b"\0" in data and not encoding.startswith(("utf-16", "utf-32")):
        raise UsageError(
            f"{name} is not text: it contains NUL bytes. Name a text file; if this is UTF-16, convert it to "
            "UTF-8 first."
        )
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise UsageError(_not_decodable(name, encoding, error)) from error
    if text.encode(encoding) != data:
        raise UsageError(
            f"{name} would not survive a round trip through {encoding}; convert it to UTF-8 first."
        )
    return text, encoding


def encode(text: str, encoding: str, name: str) -> bytes:
    """The bytes of an edited ``text``, in the encoding that ``decode`` gave.

    Raises ``EditFailed`` if a character cannot be encoded, or the bytes would be decoded to another text, as when the
    edit changed the line that declares the encoding.
    """
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise EditFailed(
            f"The answer for {name} has the character {character!r} (U+{ord(character):04X}), "
            f"which its encoding {encoding} cannot hold; convert the file to UTF-8 first."
        ) from error
    # An edit may change the very line that declares the encoding.
    try:
        same = decode(data, name)[0] == text
    except UsageError:
        same = False
    if not same:
        raise EditFailed(
            f"The answer for {name} declares another encoding than the file has ({encoding}); "
            "convert the file first."
        )
    return data


def _declared_encoding(data: bytes, name: str) -> str:
    """The encoding that a BOM declares, or in a Python file (by ``name``) the cookie, else ``utf-8``. Raises
    ``UsageError`` for an unknown cookie, or one after a first line that is no UTF-8.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if name.endswith(_PYTHON_SUFFIXES):
        try:
            return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        except SyntaxError as error:  # an unknown cookie, or a first line that is not UTF-8
            raise UsageError(f"{name} cannot be decoded: {error.msg}.") from error
    return "utf-8"


def _not_decodable(name: str, encoding: str, error: Exception) -> str:
    """The sentence for bytes that are not in this encoding, with the first such byte's index if
    ``error`` is a ``UnicodeDecodeError``.
    """
    where = ""
    if isinstance(error, UnicodeDecodeError):
        where = f" (byte {error.start})"
    return f"{name} is not {encoding.upper()}{where}; convert it to UTF-8, or give it a BOM."
