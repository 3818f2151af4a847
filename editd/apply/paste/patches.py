"""How diffs are written: unified ones of tools and of models, with wrong line counts or none, and OpenAI's patches.

GNU diffutils' manual, "Detailed Description of Unified Format", is the form; git's heads, its signature below a mail,
word diffs, and what a copy from a web page adds are known as well. Where a hunk applies is decided in
``readers.by_old_lines``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from editd.apply.paste.file_names import FileMention
from editd.apply.paste.markers import is_bare, is_marker
from editd.apply.paste.substitutions import Substitution
from editd.diff.matching import is_weak

_HUNK = re.compile(r"@@(?!\S)(?:\s+-(?P<line>\d+)(?:,(?P<count>\d+))? \+\d+(?:,\d+)?)?(?P<text>.*)")
_OLD, _NEW = re.compile(r"--- (?P<name>\S.*)"), re.compile(r"\+\+\+ (?P<name>\S.*)")
_GIT = re.compile(r"diff --git (?P<old>\"[^\"]+\"|\S+|a/.+?) (?P<new>\"[^\"]+\"|\S+|b/.+)")
_HEADER = re.compile(
    r"diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode|old mode|new mode|similarity|rename |"
    r"copy |\*\*\* |Index: |={60,}"
)
_FIRST = re.compile(r"(?m)(\A|^```diff.*\n)(?=[-+ ](?!-- |\+\+ )(.*))")  # a hunk without a header
_SIGNATURE, _VERSION = (
    re.compile(r"--\s*"),
    re.compile(r"\s*\d+\.\d+[\w.() -]*|From [0-9a-f]{4,} .*"),
)
_NO_NEWLINE = re.compile(
    r"\s*\\{1,2} ?No newline at (?:the )?end of (?:the )?file.*", re.IGNORECASE
)
_NUMBERS = re.compile(r"(?:\d+[ \t]+\d+|\d+[ \t]*\t|[ \t]*\t[ \t]*\d+)[ \t]?(?P<line>[-+ ].*|)")
_WORD_DIFF = re.compile(r"\[-(?P<old>.*?)-\](?:\{\+(?P<new>.*?)\+\})?|\{\+(?P<added>.*?)\+\}")
_FENCE = re.compile(r"(?! [`~])\s*(?:`{3,}|~{3,})[^`]*")  # after one blank it is a line of context
_MOST_BELOW = 20  # lines below a hunk that are looked at
_NO_SIGN = (
    "Line {} of the diff has no sign, and changed lines follow it; look whether they are missing."
)
_LAST = "*** End of File"
_STAMP = re.compile(
    r"\t.*|\s+\d{4}-\d\d-\d\d[ T]\d.*|"
    r"\s+\((?:revision \d+|working copy|nonexistent|original|modified|updated|new|old)\)\s*$"
)
_COPY = re.compile(
    r"(?:\.(?:orig(?:inal)?|new|old|bak|backup|rej|patched|modified|updated|fixed|copy)|~|[-_. ]v?\d+|"
    r"[-_ ](?:old|new|orig(?:inal)?|modified|updated|fixed|patched|copy))$",
    re.IGNORECASE,
)
_TEMPORARY = re.compile(
    r"/dev/(?!null)\S+|/proc/\S+|(?:/private)?/tmp/\S+|/var/folders/\S+|[a-z]:.*[\\/]te?mp[\\/].*|-|"
    r"(?:a|b|before|after|old|new|original|modified|updated|current|file|expected|actual|fixed)(?:[/.](?:a|b|txt|file))?",
    re.IGNORECASE,
)
_VERSION_NAME = re.compile(
    r"(?:before|after|old|new|original|modified|updated|current)(?:\.\w+)?", re.IGNORECASE
)
_PREFIXES = (("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("w/", "i/"))
DELETED = "/dev/null"


@dataclass(frozen=True, slots=True)
class UnifiedDiff:
    """A diff that was read: its hunks in order, and the lines that name their files."""

    substitutions: tuple[Substitution, ...]
    named: tuple[FileMention, ...]


def in_standard_form(lines: Sequence[str], known: Collection[str]) -> list[str]:
    """The lines of a diff in the standard form, with what some assistants leave out or write in their own way; other
    lines as they are. The number of lines may change.

    OpenAI's ``*** Update File:`` and ``*** Add File:`` become two lines with names (``---``, ``+++``). Below such two
    lines a header ``@@`` is added where a hunk follows without one. If some line is a hunk's header, the two columns of
    numbers that web pages show go, and a header is added before a first hunk without one: below a fence for a diff, or
    at the beginning if its first line without the sign is the buffer's. known: the buffer's lines, stripped.
    """
    text = "\n".join((*lines, ""))
    if "*** Update File: " in text:
        text = re.sub(r"(?m)^\*\*\* (?:Begin|End) Patch\n", "", text)
        text = re.sub(r"(?m)^\*\*\* (?:Update|Add) File: (.+)$", r"--- \1\n+++ \1", text)
    if re.search(r"(?m)^@@(?:\s|$)", text):
        text = _FIRST.sub(
            lambda x: f"{x[1]}@@ @@\n" if x[1] or x[2].strip() in known else "",
            _without_columns(text),
            count=1,
        )
    text = re.sub(r"(?m)^(--- \S.*\n\+\+\+ \S.*\n)(?!@@)(?=[-+ ])", r"\1@@ @@\n", text)
    return text.split("\n")[:-1]


def _without_columns(text: str) -> str:
    """A diff without the columns of old and new numbers; as it is unless all lines but blank ones and hunk headers have
    them.
    """
    lines = text.split("\n")
    found = []
    for line in lines:
        read = _NUMBERS.fullmatch(line)
        if line.strip() and not line.startswith("@@") and read is None:
            return text
        found.append(line if read is None or not line.strip() else read["line"])
    return "\n".join(found)


def is_patch(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether the lines are a diff: some line is a hunk's header and not a line of the buffer, and some line has a sign or marks words."""
    has_hunk = any(_is_header(line) and line.strip() not in known for line in lines)
    return has_hunk and any(line[:1] in ("+", "-") or _WORD_DIFF.search(line) for line in lines)


def _is_header(line: str) -> bool:
    """Whether a line is a hunk's header (``@@ -1,2 +1,3 @@``, or ``@@`` alone)."""
    return _HUNK.fullmatch(line) is not None


def read_patch(lines: Sequence[str], known: Collection[str]) -> UnifiedDiff:
    """The hunks of a diff in the standard form, in order, and the lines that name their files.

    Headers of hunks directly below one another (OpenAI's) belong to one hunk. A hunk gets a doubt if changed lines
    follow it after a line without sign. If all heads have the same names, and these are temporary (``/tmp/x``,
    ``old.txt``), the heads stay without names. known: the buffer's lines, stripped. A signature at the end that the
    header counts as a removed line is one.
    """
    blocks: list[Substitution] = []
    named: list[FileMention] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        head = _head_at(lines, position)
        if head is not None:
            named.append(head)
            position = head.at + 1
            continue
        position += 1
        if not _is_header(line):
            continue
        start, headers = position - 1, [line]
        while position < len(lines) and _is_header(
            lines[position]
        ):  # OpenAI's: one inside the other
            headers.append(lines[position])
            position += 1
        body, end = _body(lines, position, known)
        if (
            _is_signature(lines, end)
            and not any(lines[end + 1 :])
            and _counts_one_more(headers, body)
        ):
            body, end = [*body, lines[end]], end + 1  # a line “-” that goes, and no signature
        block = _substitution(headers, body, start, end)
        if _goes_on(lines, end):
            block = replace(block, doubt=_NO_SIGN.format(end + 1))
        blocks.append(block)
        position = end
    heads = {head.names for head in named}
    if len(heads) == 1 and all(map(_TEMPORARY.fullmatch, *heads)):
        named = [replace(head, names=()) for head in named]
    return UnifiedDiff(tuple(blocks), tuple(named))


# --- whose diff it is ---


def _head_at(lines: Sequence[str], at: int) -> FileMention | None:
    """The mention of a file that begins at line ``at``, by ``---`` and ``+++``, ``diff --git``, ``Index:`` or ``***
    Delete File:``; ``None`` if there is none. Its ``at`` is the last line of the head.
    """
    line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    if (old := _OLD.fullmatch(line)) and (new := _NEW.fullmatch(below)):
        return FileMention(at + 1, _names(old["name"], new["name"]))
    if found := _GIT.fullmatch(line):
        return FileMention(at, _names(found["old"], found["new"]))
    if line.startswith("Index: "):
        return FileMention(at, _names(line[7:], line[7:]))
    if line.startswith("*** Delete File: "):
        return FileMention(at, (line[17:].strip(), DELETED))
    return None


def _names(old: str, new: str) -> tuple[str, ...]:
    """The names that a file may have by the two of a diff's head, the new one first, without prefixes such as ``a/``
    (if both have theirs, or one is ``/dev/null``); then these without endings such as ``.orig``. No name twice.

    A temporary name (``/tmp/x``, ``before.txt``) only if both are. Two different names of versions, such as ``old.py``
    and ``new.py``, give only ``old`` and ``new``, in this order. If the diff deletes the file, its old name and ``DELETED``.
    """
    first, second = _bare(old), _bare(new)
    for prefixes in _PREFIXES:
        is_both = first.startswith(prefixes[0]) and second.startswith(prefixes[1])
        if is_both or DELETED in (first, second):
            first, second = (x[2:] if x.startswith(prefixes) else x for x in (first, second))
    if second == DELETED:
        return first, DELETED
    found = [x for x in (second, first) if x != DELETED]
    found = [x for x in found if not _TEMPORARY.fullmatch(x)] or found
    if first != second and all(map(_VERSION_NAME.fullmatch, (first, second))):
        return first.partition(".")[0], second.partition(".")[0]
    return tuple(dict.fromkeys([*found, *(_COPY.sub("", x) for x in found)]))


def _bare(name: str) -> str:
    """A name of a head without the date or revision after it; a name in quotes decoded as git writes it."""
    name = name.strip()
    if name.startswith('"'):
        inner = name[1:].partition('"')[0] if '\\"' not in name else name[1 : name.rfind('"')]
        return _unquoted(inner)
    return _STAMP.sub("", name).strip()


def _unquoted(name: str) -> str:
    """A name as git quotes it, decoded to UTF-8: bytes in octal (``\\303``), and escapes of C; bytes that are no UTF-8
    become replacement characters.
    """
    escapes = {"t": b"\t", "n": b"\n", '"': b'"', "\\": b"\\"}
    data = b""
    for found in re.finditer(r"\\([0-7]{3})|\\(.)|([^\\]+)", name):
        octal, escape, text = found.groups()
        data += (
            bytes([int(octal, 8) & 255])
            if octal
            else escapes.get(escape, (escape or "").encode())
            if escape
            else text.encode()
        )
    return data.decode("utf-8", "replace")


# --- hunks ---


def _body(lines: Sequence[str], start: int, known: Collection[str]) -> tuple[list[str], int]:
    """The lines of the hunk whose body begins at ``start``, and the number of the line after it.

    Ends before the next head, header, fence or signature, after ``*** End of File``, or before a line without sign that
    the file does not have. A line without sign that it has (``known``), and that has a letter or digit, becomes
    context. A word diff becomes lines with signs.
    """
    body: list[str] = []
    border = next((n for n in range(start, len(lines)) if _is_border(lines, n)), len(lines))
    is_of_words = any(map(_WORD_DIFF.search, lines[start:border])) and not any(
        line.startswith(("+", "-")) for line in lines[start:border]
    )
    for number in range(start, border):
        line = lines[number]
        is_known = line.strip() in known and not is_weak(line)
        if is_of_words:
            if line.strip() and not is_known and not _WORD_DIFF.search(line):
                return body, number
            body += _from_word_diff(line)
            continue
        if line and line[0] not in "+- \\" and not _NO_NEWLINE.fullmatch(line):
            if not is_known:
                return body, number
            line = f" {line}"  # a line of context that lost its blank
        body.append(line)
    if border < len(lines) and lines[border].strip() == _LAST:
        return [*body, lines[border]], border + 1
    return body, border


def _counts_one_more(headers: Sequence[str], body: Sequence[str]) -> bool:
    """Whether the first header of a hunk counts exactly one more old line than its body has; false if it has no count."""
    counts = [match["count"] for match in map(_HUNK.fullmatch, headers) if match is not None]
    return counts[0] is not None and len(sides_of(body)[0]) + 1 == int(counts[0])


def _from_word_diff(line: str) -> list[str]:
    """The line of a word diff (``git diff --word-diff``) as those of a diff of lines: an old one (``-``) and a new one
    (``+``); one of context (a blank before it) if no words are marked.
    """
    if not _WORD_DIFF.search(line):
        return [f" {line}"]
    old = _WORD_DIFF.sub(lambda found: found["old"] or "", line)
    new = _WORD_DIFF.sub(lambda found: found["new"] or found["added"] or "", line)
    return [f"-{old}", f"+{new}"]


def _goes_on(lines: Sequence[str], end: int) -> bool:
    """Whether changed lines follow a hunk's end within 20 lines, directly below lines that are neither blank nor a
    head, a header, a fence or a signature.
    """
    rest = lines[end : end + _MOST_BELOW]
    if not rest or not rest[0].strip() or _is_border(lines, end):
        return False
    for number, line in enumerate(rest, start=end):
        if not line.strip() or _is_border(lines, number):
            return False
        if line[0] in "+-":
            return True
    return False


def _is_border(lines: Sequence[str], at: int) -> bool:
    """Whether line ``at`` ends a hunk: a head, a header, a fence, or the signature of a mail."""
    line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    return bool(
        _HUNK.fullmatch(line)
        or _HEADER.match(line)
        or _FENCE.fullmatch(line)
        or (_OLD.fullmatch(line) and _NEW.fullmatch(below))
        or _is_signature(lines, at)
    )


def _is_signature(lines: Sequence[str], at: int) -> bool:
    """Whether a mail's signature (``--``) begins at line ``at``: git's version or another mail stands below it, or only
    empty lines. False beyond the end.
    """
    if at >= len(lines) or not _SIGNATURE.fullmatch(lines[at]):
        return False
    rest = lines[at + 1 :]
    return not any(rest) or _VERSION.fullmatch(rest[0]) is not None


def _substitution(headers: Sequence[str], body: list[str], at: int, end: int) -> Substitution:
    """A hunk as old and new lines, with the place that its headers give: the 0-based line number, and as ``anchors``
    the text behind each ``@@`` that has a letter or digit. Removes empty lines from the end of ``body``.

    headers: one, or OpenAI's several, of which the later ones lie in the earlier; the first line number counts. at,
    end: lines of the paste. A note on a missing newline sets ``ends`` if only one side has it, and ``is_last``; so does
    ``*** End of File`` with ``is_last``.
    """
    while body and not body[-1]:
        body.pop()  # empty lines between two hunks or at the end of the paste
    is_last = bool(body) and body[-1].strip() == _LAST
    body = body[:-1] if is_last else body
    ended = [True, True]  # the old and the new text
    for number, line in enumerate(body):
        if _NO_NEWLINE.fullmatch(line) and number:
            sign = body[number - 1][:1]
            ended = [ended[0] and sign == "+", ended[1] and sign == "-"]
    body = [line for line in body if not _NO_NEWLINE.fullmatch(line)]
    old, new = sides_of(body)
    ends = ended[1] if ended[0] != ended[1] else None
    read = [match for match in map(_HUNK.fullmatch, headers) if match is not None]
    numbers = [int(match["line"]) - 1 for match in read if match["line"]]
    sides = [match["text"].partition("@@") for match in read]
    texts = [(below or text).strip() for text, _, below in sides]
    return Substitution(
        old,
        new,
        at,
        numbers[0] if numbers else None,
        end,
        anchors=tuple(x for x in texts if not is_weak(x)),
        is_last=is_last or not all(ended),
        ends=ends,
    )


def sides_of(body: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The old and the new lines of a hunk, without signs."""
    old, new = (tuple(x[1:] for x in body if x[:1] != sign) for sign in ("+", "-"))
    return old, new


def without_headers(lines: Sequence[str], known: Collection[str]) -> tuple[Substitution, ...]:
    """The hunks of a diff without headers, parted by markers (bare dots, too), without those that change nothing; empty
    if the lines are no such diff.

    In such a diff each line begins with a plus, a minus or a blank, blank lines aside. At least one removed line
    (context line, if nothing is removed) has to be the file's without its sign, and no signed line may be the file's as
    it is. known: the buffer's lines, stripped.
    """
    shown = [line for line in lines if line.strip() and not _separates(line, known)]
    signed = [line for line in shown if line[0] in "+-"]
    if not signed or any(line[0] not in "+- " for line in shown):
        return ()
    removes = any(line[0] == "-" for line in signed)
    if any(line.strip() in known for line in signed) or not any(
        line[0] == ("-" if removes else " ") and line[1:].strip() in known for line in shown
    ):
        return ()
    found: list[Substitution] = []
    start = 0
    for end in (*(n for n, line in enumerate(lines) if _separates(line, known)), len(lines)):
        body = [line for line in lines[start:end] if line.strip() or line]
        if any(line[0] in "+-" for line in body if line):
            found.append(Substitution(*sides_of(body), start))
        start = end + 1
    return tuple(found)


def _separates(line: str, known: Collection[str]) -> bool:
    """Whether a line stands between two hunks: a marker, or dots that the buffer does not have."""
    return is_marker(line, known) or (is_bare(line) and line.strip() not in known)
