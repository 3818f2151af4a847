"""Containers in tags: elements of XML and HTML, whose members are their children."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from editd.syntax.brackets import read_brackets
from editd.syntax.containers import Container, Member

_TAG = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>|"
    r"<(?P<slash>/?)(?P<name>[A-Za-z_][\w.:-]*)(?P<told>(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^<>\"'{])*?)(?P<alone>/?)>",
    re.DOTALL,
)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_RAW = frozenset(["script", "style", "pre", "textarea"])
_LANGUAGES = {"script": "javascript", "style": "css"}
_LANGUAGE = re.compile(r"\b(?:lang|type)=[\"'](?:\w+/)?(?:ld\+)?(?P<name>ts|tsx|typescript|scss|less|json|jsx)[\"']")
_ATTRIBUTE = re.compile(r"([\w.:@#-]+)\s*=\s*(\"[^\"]*\"|'[^']*'|\{[^{}]*\}|[^\s\"'>]+)")
# What tells an element from others of its tag: the first attribute that it has, else the first child.
_NAMING = ("id", "key", "name", "property", "Include", "Update", "Remove", "http-equiv", "charset", "x:Key", "x:Name")
_LOCATING = ("href", "src", "path", "for", "type", "rel", "class", "slot", "value", "lang", "data-id")
_CHILDREN = ("artifactId", "id", "name", "key", "groupId")
_PARTS = frozenset(
    ["html", "head", "body", "title", "header", "main", "footer", "nav", "aside", "template", "script", "style"]
)  # what a page has once
_DEEPEST = 200


@dataclass
class _Open:
    """An element that is being read. text: whether it has text of its own."""

    name: str
    start: int
    top: int
    inside: int
    told: str
    members: list[Member] = field(default_factory=list)
    has_text: bool = False


def read_tags(text: str, *, is_html: bool) -> Container | None:
    """The text's elements; ``None`` if its tags do not match.

    What a page of HTML may have several times has no key, unless something in its tag tells it from the others.
    """
    root = _Open("", 0, 0, 0, "")
    stack = [root]
    top: int | None = None
    last = 0
    skip = 0
    for found in _TAG.finditer(text):
        if found.start() < skip:
            continue
        between = text[last : found.start()]
        if between.strip():
            stack[-1].has_text = True
            top = None
        elif between.count("\n") > 1:
            top = None
        last = found.end()
        name = found["name"]
        if name is None:
            if found[0].startswith("<!--"):
                members = stack[-1].members
                if members and "\n" not in between and top is None:
                    one = members[-1]
                    members[-1] = replace(one, after=found.end())
                else:
                    top = found.start() if top is None else top
            elif found[0].startswith("<![CDATA"):
                stack[-1].has_text = True
            continue
        if found["slash"]:
            if len(stack) < 2 or stack[-1].name != name:
                return None
            one = _member(text, stack.pop(), found.start(), found.end(), is_html=is_html)
            stack[-1].members.append(one)
            top = None
            continue
        begin = found.start() if top is None else top
        top = None
        if found["alone"] or (is_html and name.lower() in _VOID):
            end = found.end()
            naming = _name(text, found["told"], (), is_html=is_html)
            key = _key(name, naming, is_html=is_html)
            one = Member(key, begin, found.start(), end, end, None, name=naming, kind=f"<{name}>")
            stack[-1].members.append(one)
            continue
        stack.append(_Open(name, found.start(), begin, found.end(), found["told"]))
        if is_html and name.lower() in _RAW:
            closing = text.find(f"</{name}", found.end())
            if closing < 0:
                return None
            skip = last = closing
            stack[-1].has_text = True
        if len(stack) > _DEEPEST:
            return None
    if len(stack) > 1 or not root.members or text[last:].strip() or root.has_text:
        return None
    return Container(0, len(text), tuple(root.members), "", is_scope=is_html)


def _key(tag: str, name: str, *, is_html: bool) -> str:
    """The tag; empty for an element of a page of which there may be several."""
    return "" if is_html and not name and tag.lower() not in _PARTS else f"<{tag}>"


def _member(text: str, one: _Open, end: int, after: int, *, is_html: bool) -> Member:
    members = tuple(one.members)
    names = [(x.kind, x.name) for x in members]
    is_list = len(names) > 1 and len(set(names)) == 1
    if is_list:
        members = tuple(replace(x, key="") for x in members)
    inner = None
    if not one.has_text and (members or not text[one.inside : end].strip()):
        is_list = is_list or (bool(members) and not any(x.key for x in members))
        inner = Container(one.inside, end, members, is_list=is_list)
    if is_html and (language := _LANGUAGES.get(one.name.lower())):
        inner = _in_language(text, one, end, language)
    name = _name(text, one.told, members, is_html=is_html)
    key = _key(one.name, name, is_html=is_html)
    return Member(key, one.top, one.start, after, after, inner, name=name, kind=f"<{one.name}>")


def _in_language(text: str, one: _Open, end: int, language: str) -> Container | None:
    """What a script or a style sheet in a page holds."""
    told = _LANGUAGE.search(one.told)
    if told is not None:
        language = {"ts": "typescript"}.get(told["name"], told["name"])
    found = read_brackets(" " * one.inside + text[one.inside : end], language)
    if found is None or not found.members:
        return None
    return replace(found, start=max(found.start, one.inside), end=min(found.end, end))


def _name(text: str, told: str, members: tuple[Member, ...], *, is_html: bool) -> str:
    """What tells an element from others of its tag."""
    given = {x[1].rpartition(":")[2]: x[2].strip("\"'") for x in _ATTRIBUTE.finditer(told)}
    for wanted in _NAMING:
        if (value := given.get(wanted.rpartition(":")[2])) is not None:
            return f"{wanted}={value}"
    for child in _CHILDREN:
        for one in members:
            if one.key == f"<{child}>" and one.inner is None:
                return text[one.start : one.end]
    located = _LOCATING if is_html else (*_LOCATING, *given)
    return next((f"{x}={given[x]}" for x in located if x in given), "")
