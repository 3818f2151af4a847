"""The model that every reader of this package returns: containers, and members with keys.

A container is a mapping, an object literal, a rule of CSS, an element of XML, a class, a struct, an enum or a
group such as ``import ( … )``. Statements of a body are no members, and elements of a list have no keys.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """Text ``start .. end`` (offsets) of a container, without the separator behind it.

    key: what it is compared by; empty for an element of a list, a statement or a docstring. top: the offset of the
    comments and decorators directly above it, else ``start``. after: the offset behind its separator and a comment on
    the same line. inner: its value, if that is a container. words: of a directive such as ``listen 80``, whose key is
    the first of them. name: what tells an element from others of its tag. kind: its tag, or a directive's first word.
    """

    key: str
    top: int
    start: int
    end: int
    after: int
    inner: Container | None = None
    words: tuple[str, ...] = ()
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """Text ``start .. end`` (offsets) between two brackets, tags or depths, and its members in order.

    parting: what stands between two members: ``,``, ``;``, or empty if the line's end does. is_scope: the members
    are statements or definitions, as in a module, which a text may show without the others. is_list: they are
    elements of a list, which have no keys, but may hold members.
    """

    start: int
    end: int
    members: tuple[Member, ...]
    parting: str = ""
    is_scope: bool = False
    is_list: bool = False
