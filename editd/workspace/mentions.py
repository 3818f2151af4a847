"""The texts that an instruction names with ``@``: a file, lines of a file, or a definition of the project.

::

    use the helper in @util.py          the whole file
    as in @src/util.py:10-20            these lines
    call @load_settings                 the lines of the one definition of that name
    see @"a name.txt"                   a name with blanks

Knows where a mention begins and ends, and which files may be read. A word after ``@`` that has no dot and no slash, and that the
project does not define, is a word (``add @property``). Whether a text fits a prompt is left to the engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from editd.errors import EditRefused
from editd.messages import ContextItem, EditRequest
from editd.syntax.code import read_code
from editd.syntax.language import language_of
from editd.workspace.walk import (
    DEFAULT_LIMITS,
    find_files,
    looks_secret,
    read_file,
    read_files,
    readable_text,
    refuse_root,
)

_MENTION = re.compile(
    r"(?<![\w@./])@(?:\"(?P<quoted>[^\"\n]+)\"|(?P<bare>[\w~./\\-]*[\w/]))(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?(?!\w|\()"
)
_MOST_NAMED = 3  # files in a sentence
_USUAL = frozenset(  # decorators, annotations and tags that no project defines
    "property staticmethod classmethod cached_property dataclass override abstractmethod contextmanager lru_cache cache wraps"  # noqa: SIM905
    " final overload Override Deprecated Test Nullable NonNull Inject Autowired param return returns throws deprecated media import".split()
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """The texts that an instruction mentions.

    plain: the request without the mentions, for whoever reads its words. full: the request with the texts as context, and
    with the bare names in the place of the mentions. notices: a sentence for each name that the project does not have.
    """

    plain: EditRequest
    full: EditRequest
    notices: tuple[str, ...] = ()


def has_mentions(instruction: str) -> bool:
    """Whether ``instruction`` may mention a text; a look at its letters alone."""
    return _MENTION.search(instruction) is not None


def is_bare_mention(name: str) -> bool:
    """Whether ``@`` and ``name`` are a mention of all of ``name``, so that it needs no quotes."""
    found = _MENTION.fullmatch(f"@{name}")
    return found is not None and found["bare"] == name


def read_mentions(request: EditRequest, *, secrets: bool = True) -> Mentions | None:
    """Read the texts that the instruction of ``request`` mentions, as context; ``None`` if it mentions none. A
    mention that stands in ``request.text`` itself is a word; so is one that is found nowhere, mostly with a notice. A
    name that ``request.text`` defines loses its ``@``, nothing else.

    Reads files below ``request.mention_root``, by default ``request.workspace_root``, alone. secrets: whether a whole
    path may name a hidden file or one that looks like a secret. Raises ``EditRefused`` for a file that lies outside of
    the project, is no text or is such a secret, for lines that it does not have, for a name of several files or
    definitions, and for a file if no project is trusted; ``OSError`` if the project's folder cannot be opened.
    """
    items: list[ContextItem] = []
    notices: list[str] = []
    spans: list[tuple[re.Match[str], str]] = []
    instruction = _without_own(request)
    for found in _MENTION.finditer(instruction):
        name = (found["quoted"] or found["bare"]).replace("\\", "/")
        if f"@{name}" in request.text:
            continue  # a decorator, or a package, that the text has
        is_file = _is_file(name, found, request)
        item = (
            _mentioned_file(name, found, request, secrets=secrets)
            if is_file
            else _mentioned_definition(name, request)
        )
        if item is not None:
            if item not in items:
                items.append(item)
            spans.append((found, name.rpartition("/")[2]))
        elif is_file:
            notices.append(f"There is no {name} in the project, so “@{name}” was read as a word.")
        elif _folder(request) and name.isidentifier() and name not in _USUAL:
            notices.append(f"“@{name}” is not defined in the project, so it was read as a word.")
    if not items and not notices and instruction == request.instruction:
        return None
    full = replace(
        request,
        instruction=_replaced(instruction, spans, bare=True),
        context=(*request.context, *items),
    )
    plain = replace(full, instruction=_replaced(instruction, spans, bare=False))
    return Mentions(plain, full, tuple(notices))


def _without_own(request: EditRequest) -> str:
    """The instruction without the ``@`` before names that the edited text defines, and does not use with ``@``."""
    own = {x.name for x in read_code(request.text, language_of(request.path)).definitions}

    def bare(found: re.Match[str]) -> str:
        is_own = found[0][1:] in own and found[0] not in request.text
        return found[0][1:] if is_own else found[0]

    return _MENTION.sub(bare, request.instruction)


def _is_file(name: str, found: re.Match[str], request: EditRequest) -> bool:
    """Whether a mention is a file's: it says so by an extension, quotes or lines, or such a file is there; an
    absolute path only if it is there.

    Else it is a definition, or a word such as ``@pytest.fixture`` and ``@types/node``. Raises as ``_exact``, and as
    ``_root_of`` if it has to look.
    """
    if name.startswith("/") and not os.path.isfile(name):  # noqa: PTH113  Path's raises
        return False  # the name of a module
    if found["quoted"] or found["first"] or name.startswith(".") or language_of(name):
        return True
    return bool(_folder(request)) and _exact(name, _root_of(request, name), request) is not None


def _replaced(instruction: str, spans: list[tuple[re.Match[str], str]], *, bare: bool) -> str:
    """``instruction`` with each mention replaced by its name (bare), or taken out with the words that lead to it,
    such as "as in", without blanks at its ends. spans: each mention with its name, in order.
    """
    pieces, done = [], 0
    for found, name in spans:
        before = instruction[done : found.start()]
        if not bare:
            before = re.sub(r"[\s,(]*(?:\b(?:as|like|see|with|from|using|in)\s+)*$", "", before)
        pieces += [before, name if bare else ""]
        done = found.end()
    return "".join([*pieces, instruction[done:]]).strip()


def _folder(request: EditRequest) -> str:
    """The folder of the project whose files may be named; empty for none."""
    return request.mention_root or request.workspace_root


def _root_of(request: EditRequest, name: str) -> Path:
    """The project's folder, without links. Raises ``EditRefused`` if no project is trusted, or it may not be read."""
    if not _folder(request):
        raise EditRefused(
            f"@{name} was not read, because the edited text is in no trusted folder: trust its project (--workspace), "
            "or copy what is needed into the text."
        )
    root = Path(_folder(request))
    if refusal := refuse_root(root):
        raise EditRefused(f"@{name} was not read: {refusal}")
    return root.resolve()


def _mentioned_file(
    name: str, found: re.Match[str], request: EditRequest, *, secrets: bool
) -> ContextItem | None:
    """The mentioned file, or lines of it, as context: at this path, else the one whose path ends so; ``None`` if
    there is none. Raises ``EditRefused`` for a file that cannot be used, without ``secrets`` for one that is hidden or
    looks like a secret, and for lines that it does not have, and as ``_root_of``, ``_exact`` and ``_by_last_part``.
    """
    root = _root_of(request, name)
    path = _exact(name, root, request) or _by_last_part(name, root)
    if path is None:
        return None
    parts = path.relative_to(root).parts
    if not secrets and any(part.startswith(".") or looks_secret(part) for part in parts):
        raise EditRefused(f"@{name} was not read, because it is hidden or looks like a secret.")
    shown = "/".join(parts)
    content = read_file(root, shown, DEFAULT_LIMITS)
    text = None if content is None else readable_text(content)
    if text is None:
        raise EditRefused(
            f"@{name} was not read: {shown} is no text, longer than {DEFAULT_LIMITS.file_bytes >> 10} kB, or closed to you."
        )
    lines = text.splitlines(keepends=True)
    if found["first"] is None:
        return ContextItem("mention", text, shown, 0, len(lines))
    start, end = int(found["first"]) - 1, int(found["last"] or found["first"])
    if not 0 <= start < end <= len(lines):
        raise EditRefused(f"@{name} was not read: {shown} has lines 1 to {len(lines)}.")
    return ContextItem("mention", "".join(lines[start:end]), shown, start, end)


def _exact(name: str, root: Path, request: EditRequest) -> Path | None:
    """The file at this path from the root or from the edited file's folder; ``None`` if there is none.

    Raises ``EditRefused`` if it lies outside of the root, links followed.
    """
    folders = [root, *([Path(request.file).parent] if request.file else [])]
    for folder in folders:
        try:
            path = (folder / Path(name).expanduser()).resolve()
            is_file = path.is_file()
        except (OSError, RuntimeError, ValueError):
            continue
        if is_file and not path.is_relative_to(root):
            raise EditRefused(f"@{name} was not read, because it lies outside of the project.")
        if is_file:
            return path
    return None


def _by_last_part(name: str, root: Path) -> Path | None:
    """The one file of the project whose path ends with ``name``, among those that git does not ignore and that look like no secret.

    ``None`` if there is none. Raises ``EditRefused`` if there are several.
    """
    paths = [
        x.path for x in find_files(root, DEFAULT_LIMITS).files if f"/{x.path}".endswith(f"/{name}")
    ]
    if len(paths) > 1:
        raise _ambiguous(name, sorted(paths))
    return root / paths[0] if paths else None


def _mentioned_definition(name: str, request: EditRequest) -> ContextItem | None:
    """The lines of the one definition of this name in the project's files; ``None`` if there is none, the edited
    text defines the name itself, no project is trusted, or it may not be read.

    Raises ``EditRefused`` if there are several, and ``OSError`` if the folder cannot be opened.
    """
    if not _folder(request) or refuse_root(Path(_folder(request))):
        return None
    if any(x.name == name for x in read_code(request.text, language_of(request.path)).definitions):
        return None
    found = list(_definitions(name, Path(_folder(request)).resolve()))
    if len(found) > 1:
        raise _ambiguous(name, [item.path for item in found])
    return found[0] if found else None


def _definitions(name: str, root: Path) -> Iterator[ContextItem]:
    """Yield the definitions of this name, in any language, in the files that count, as context. Reads files; raises
    ``OSError`` if ``root`` cannot be opened.
    """
    files = find_files(root, DEFAULT_LIMITS).files
    for file, content in read_files(root, iter(files), DEFAULT_LIMITS):
        if name.encode() not in content or (text := readable_text(content)) is None:
            continue
        code = read_code(text, language_of(file.path))
        for found in code.definitions:
            if found.name == name:
                part = "".join(code.lines[found.start : found.end])
                yield ContextItem("mention", part, file.path, found.start, found.end)


def _ambiguous(name: str, paths: list[str]) -> EditRefused:
    """The error of a name that several places have."""
    listed = ", ".join(f"@{path}" for path in paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if paths[_MOST_NAMED:] else ""
    return EditRefused(f"@{name} could be in several files: say which ({listed}{more}).")
