"""Containers in tags: elements of XML and HTML, whose members are their children; scripts and style sheets in pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from editd.syntax.brackets import read_brackets
from editd.syntax.containers import Container, Member
from editd.turns import yield_point

_TAG = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>|"
    r"<(?P<slash>/?)(?P<name>[A-Za-z_][\w.:-]*)"
    r"(?P<rest>(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^<>\"'{])*?)(?P<alone>/?)>",
    re.DOTALL,
)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"]
)
_RAW = frozenset(["script", "style", "pre", "textarea"])
_SCRIPTS = {"script": "javascript", "style": "css"}
_LANGUAGE = re.compile(
    r"\b(?:lang|type)=[\"'](?:\w+/)?(?:ld\+)?(?P<name>ts|tsx|typescript|scss|less|json|jsx)[\"']"
)
_PARTS = frozenset(
    [
        *("html", "head", "body", "title", "header", "main", "footer", "nav", "aside"),
        *("template", "script", "style"),
    ]
)  # what a page has once
_ATTRIBUTE = re.compile(r"([\w.:@#-]+)\s*=\s*(\"[^\"]*\"|'[^']*'|\{[^{}]*\}|[^\s\"'>]+)")
# What tells an element from others of its tag: the first of these attributes, else a child, else one of the rest.
_NAMES = ("id", "key", "name", "property", "Include", "Update", "Remove", "http-equiv", "charset")
_CHILDREN = ("artifactId", "id", "name", "key", "groupId")
_PLACES = (
    *("href", "src", "path", "for", "type", "rel", "class", "slot", "value", "lang", "data-id"),
)
_DEEPEST = 200


@dataclass
class _Element:
    """An element that is being read. attributes: the rest of its tag. has_text: it has text of its own."""

    tag: str
    start: int
    top: int
    inside: int
    attributes: str
    members: list[Member] = field(default_factory=list)
    has_text: bool = False


def read_tags(text: str, *, is_html: bool) -> Container | None:
    """The text's elements as a container; ``None`` if its tags do not match, text stands outside of them, it has no
    element, or they are too deep. Lets other work run meanwhile.

    What a page of HTML may have several times has no key, unless something in its tag tells it from the others.
    is_html: void elements such as ``<br>`` need no end, and scripts and style sheets are read by brackets.
    """
    root = _Element("", 0, 0, 0, "")
    stack = [root]
    top: int | None = None  # where the comments above begin
    last = 0  # where the tag before ends
    for found in _TAG.finditer(text):
        if found.start() < last:
            continue  # within a script
        yield_point()
        between = text[last : found.start()]
        if between.strip():
            stack[-1].has_text, top = True, None
        elif between.count("\n") > 1:
            top = None
        last, tag = found.end(), found["name"]
        members = stack[-1].members
        if tag is None:
            if not found[0].startswith("<!--"):
                stack[-1].has_text |= found[0].startswith("<![CDATA")
            elif members and "\n" not in between and top is None:
                members[-1] = replace(members[-1], after=last)
            else:
                top = found.start() if top is None else top
            continue
        if found["slash"]:
            if len(stack) < 2 or stack[-1].tag != tag:
                return None
            element = stack.pop()
            member = _member(text, element, found.start(), last, is_html=is_html)
            stack[-1].members.append(member)
            top = None
            continue
        first = found.start() if top is None else top
        top = None
        if found["alone"] or (is_html and tag.lower() in _VOID):
            name = _telling_name(text, found["rest"], (), is_html=is_html)
            key = _key(tag, name, is_html=is_html)
            members.append(
                Member(key, first, found.start(), last, last, name=name, kind=f"<{tag}>")
            )
            continue
        stack.append(_Element(tag, found.start(), first, last, found["rest"]))
        if is_html and tag.lower() in _RAW:
            last = text.find(f"</{tag}", last)
            stack[-1].has_text = True
        if last < 0 or len(stack) > _DEEPEST:
            return None
    if len(stack) > 1 or not root.members or text[last:].strip() or root.has_text:
        return None
    return Container(0, len(text), tuple(root.members), is_scope=is_html)


def _key(tag: str, name: str, *, is_html: bool) -> str:
    """The tag; empty for an element of a page of which there may be several."""
    return "" if is_html and not name and tag.lower() not in _PARTS else f"<{tag}>"


def _member(text: str, element: _Element, end: int, after: int, *, is_html: bool) -> Member:
    """The member for an element whose text ends at ``end``, and whose closing tag at ``after``.

    It has a container, of its children, unless it has text of its own; a script or style sheet of HTML that of its
    code, or none. Children that are all of one tag and name lose their keys; children without keys are a list.
    """
    members = tuple(element.members)
    kinds = [(x.kind, x.name) for x in members]
    is_list = len(kinds) > 1 and len(set(kinds)) == 1
    if is_list:
        members = tuple(replace(x, key="") for x in members)
    inner = None
    if not element.has_text and (members or not text[element.inside : end].strip()):
        is_list = is_list or (bool(members) and not any(x.key for x in members))
        inner = Container(element.inside, end, members, is_list=is_list)
    if is_html and (language := _SCRIPTS.get(element.tag.lower())):
        inner = _script(text, element, end, language)
    name = _telling_name(text, element.attributes, members, is_html=is_html)
    key = _key(element.tag, name, is_html=is_html)
    kind = f"<{element.tag}>"
    return Member(key, element.top, element.start, after, after, inner, name=name, kind=kind)


def _script(text: str, element: _Element, end: int, language: str) -> Container | None:
    """The members of a script or style sheet in a page, from the element's tag to ``end``; ``None``
    if it has none or its brackets do not match.

    language: by default; ``lang`` or ``type`` in its tag goes before.
    """
    found = _LANGUAGE.search(element.attributes)
    if found is not None:
        language = {"ts": "typescript"}.get(found["name"], found["name"])
    inner = read_brackets(text, language, element.inside, end)
    return inner if inner is not None and inner.members else None


def _telling_name(text: str, attributes: str, members: tuple[Member, ...], *, is_html: bool) -> str:
    """The attribute or child that tells an element from others of its tag, as ``key=a`` or the
    child's text; empty if none does.

    First of ``_NAMES``, then a child of ``_CHILDREN`` without members, then of ``_PLACES``; in XML
    then any other attribute.
    """
    given = {x[1].rpartition(":")[2]: x[2].strip("\"'") for x in _ATTRIBUTE.finditer(attributes)}
    for name in _NAMES:
        if name in given:
            return f"{name}={given[name]}"
    for name in _CHILDREN:
        for child in members:
            if child.kind == f"<{name}>" and child.inner is None:
                return text[child.start : child.end]
    places = _PLACES if is_html else (*_PLACES, *given)
    return next((f"{name}={given[name]}" for name in places if name in given), "")
