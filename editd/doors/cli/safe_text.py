"""Makes text safe to show: characters that move the cursor or change the direction are spelled out.

All that a command tells a person goes through here, by way of ``console``; results are bytes as they are.
"""

from __future__ import annotations

import unicodedata


def visible(line: str) -> str:
    """``line`` without its line end, and without control of the terminal or the text direction."""
    return "".join(
        character if character == "\t" or not _has_power(character) else _picture(character)
        for character in line.rstrip("\r\n")
    )


def visible_text(text: str) -> str:
    """As ``visible``, line by line: with its line ends, which are LF."""
    return "\n".join(map(visible, text.split("\n")))


def _has_power(character: str) -> bool:
    return unicodedata.category(character) == "Cc" or character in _DIRECTIONS


def _picture(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else f"<U+{code:04X}>"


# Embeddings, overrides and isolates: with them a line can look different from what it is.
_DIRECTIONS = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
