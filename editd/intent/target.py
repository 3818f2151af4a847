"""A described target: the words by which one thing of a buffer (or so many) is chosen. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetWord:
    """A word of a description.

    others: further words that may stand for it ("toggle and tick"). where: in which relation the thing stands to it:
    empty (it is a word of the thing), ``in`` (of what is around it), ``of`` (either), ``above`` (of the line below the
    thing), ``below`` (of the line above it). is_exact: it is quoted or spelled like code.
    """

    text: str
    where: str = ""
    is_exact: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetDescription:
    """A description of the things that an edit is about.

    noun: what it is said to be, in the singular; empty if nothing is said. kind: what such nouns are for: ``comment``, ``print``,
    ``log``, ``definition``, ``test``, ``route``, ``argument``, ``entry``, ``statement``, ``check``, ``loop``, ``block`` or
    ``import``. required: words that all have to fit. optional:
    words that may fit, and choose among those that do. adjectives: those of them that names of the buffer have, so that they may be
    a part of one. count: how many are meant; 0 for any number. position: ``first`` or
    ``last`` of those that fit. is_subject: the words are of a clause beside the request, so that some need not fit.
    heads: the words with which each of those clauses begins, as far as the buffer has them; of one clause all have to fit. is_bare: a word
    stands alone, so that it can only be the name of a definition. with_comment: the comment above is meant, too. mark: the sign with which the comments begin. spared: words of things that
    are said to stay.
    """

    noun: str = ""
    kind: str = ""
    required: tuple[TargetWord, ...] = ()
    optional: tuple[TargetWord, ...] = ()
    adjectives: tuple[TargetWord, ...] = ()
    count: int = 1
    position: str = ""
    is_subject: bool = False
    heads: tuple[tuple[TargetWord, ...], ...] = ()
    is_bare: bool = False
    with_comment: bool = False
    mark: str = ""
    spared: tuple[str, ...] = ()
