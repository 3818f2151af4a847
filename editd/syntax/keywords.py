"""The words of each language that cannot be names."""

from __future__ import annotations

import keyword

_SCRIPT = """
    await break case catch class const continue debugger default delete do else enum export extends false finally for function
    if import in instanceof let new null return static super switch this throw true try typeof var void while with yield
"""
_WORDS = {
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx"), _SCRIPT),
    "go": """
        break case chan const continue default defer else fallthrough for func go goto if import interface map package
        range return select struct switch type var
    """,
    "rust": """
        as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move
        mut pub ref return self Self static struct super trait true type unsafe use where while
    """,
    "java": """
        abstract assert boolean break byte case catch char class const continue default do double else enum extends
        false final finally float for goto if implements import instanceof int interface long native new null package
        private protected public return short static strictfp super switch synchronized this throw throws transient
        true try void volatile while
    """,
    "c": """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    """,
    "ruby": """
        BEGIN END alias and begin break case class def do else elsif end ensure false for if in module next nil not or
        redo rescue retry return self super then true undef unless until when while yield
    """,
}
_KEYWORDS = {
    "python": frozenset(keyword.kwlist),
    **{language: frozenset(words.split()) for language, words in _WORDS.items()},
}


def keywords_of(language: str) -> frozenset[str]:
    """The keywords of a language; empty for a language whose keywords are not known."""
    return _KEYWORDS.get(language, frozenset())
