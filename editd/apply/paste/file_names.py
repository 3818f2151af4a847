"""The file that a part of an answer is for: the one that is named last above it, whole paths compared.

Knows how assistants name a file: on a line of its own (a heading, a label, a comment), in a tag, an attribute or a key
of JSON, and in a sentence that says where code goes (“In `x.py`, …”). Which lines are code, and so name none, is for
the reader of each form to say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.reading import NoReadingError
from editd.syntax.language import is_file_name

_MOST_CHARACTERS = 500  # of a line that may name a file
_FURTHER = (
    "astro bat conf cr csproj cshtml csv cu ejs env erb fs fsproj gradle graphql groovy hbs hxx ipynb j2 jinja json5 "
    "jsonl jsp mdx mm mod nim njk plist po prisma proto pxd pyx rake rkt sass scm sln sol sv tcl tfvars tmpl tpl tsv "
    "twig vb wgsl xaml xsd xsl"
)  # extensions beside those of languages; none that methods are called by
_EXTENSIONS = frozenset(_FURTHER.split())
_WITHOUT_EXTENSION = re.compile(
    r"(?:brewfile|cargo\.lock|containerfile|dockerfile(?:\.\w+)?|gemfile(?:\.lock)?|gnumakefile|go\.sum|"
    r"jenkinsfile|justfile|makefile|pipfile(?:\.lock)?|podfile|procfile|rakefile|vagrantfile|"
    r"(?:poetry|uv|yarn)\.lock|\.env(?:\.\w+)?|\.git\w+|\.\w+(?:rc|ignore)|\.editorconfig)",
    re.IGNORECASE,
)
_PATH = r"(?:[A-Za-z]:)?[/\\]?(?:[\w.~@+$()\[\]-]+[/\\])*[\w.~@+$\[\]-]*\w"
_LINK = re.compile(r"\[`?([^\]`]+)`?\]\(([^()\s]+)\)")
_WORDS = re.compile(rf"`([^`\n]+)`|\*\*({_PATH})\*\*|(?<![\w/\\.@-])({_PATH})")
_LINES = re.compile(r"(\.\w+)(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?)(?!\w)")  # behind a name

# --- a line that is there to name a file ---

_TAGS = r"(?:a|b|big|code|details|div|em|h\d|p|pre|span|strong|summary)"
_BEFORE = re.compile(
    r"\W*(?:(?:step|part|change|edit|in|for|to|update|updated|modify|modified|create|created|new|the|existing|file|"
    rf"file\s?name|file\s?path|path|source|rem|index|of|\d+|{_TAGS})\b\W*)*",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:in|for|to|update|updated|modify|edit|change|create)\b(?!.*:)", re.IGNORECASE
)
_AFTER = re.compile(
    rf"\W*(?:(?:{_TAGS}|file|new|updated|modified|changed|edited|unchanged|continued|as follows|like this)\b\W*)*|"
    r"[`*_\]”\"']*\s*[(\[（【].*[)\]）】]\W*|[`*_\]”\"']*\s*(?:[:–—]|\s-+)\s.*",
    re.IGNORECASE,
)
_KEY = r"(?:target_?|relative_?|absolute_?|full_?)?(?:file_?)?(?:path|name)|(?:target_?)?file|uri"
_KEYED = (
    re.compile(rf"<(?P<tag>{_KEY})\b[^<>]*>\s*(?P<name>[^<>\n]+?)\s*</(?P=tag)>", re.IGNORECASE),
    re.compile(rf"<\w+ name=[\"'](?:{_KEY})[\"'][^<>]*>\s*(?P<name>[^<>\n]+)", re.IGNORECASE),
    re.compile(
        r"<[\w.:-]+\s(?:[^<>]*\s)?(?:file_?)?path\s*=\s*[\"'{]?(?P<name>[^\"'<>{}]+)", re.IGNORECASE
    ),
    re.compile(
        r"<[\w.:-]*(?:file|document|edit|update|change|patch|diff|artifact|action|block)\s(?:[^<>]*\s)?"
        r"(?:file_?name|file|name|target)\s*=\s*[\"'](?P<name>[^\"'<>]+)",
        re.IGNORECASE,
    ),
    re.compile(rf"[\"'](?:{_KEY})[\"']\s*:\s*\"(?P<name>(?:[^\"\\]|\\.)+)\"", re.IGNORECASE),
)

_INFO = re.compile(
    r"(?:path|file_?path|file_?name|file|title|src)\s*=\s*(?:\"([^\"]+)\"|'([^']+)'|([^\"'\s}]+))"
)
_COMMENT = re.compile(
    r"\s*(?:#+|//+|--|/\*+|<!--|;|%|\"|'|\(\*|\{/\*|REM\b)?\s*(?:(?:file\s?(?:name|path)?|path)\s*:?\s*)?"
    rf"(?P<name>{_PATH})(?::\d[\d:,-]*)?\s*(?:[(\[][\w ,]+[)\]]\s*)?(?:\*/\s*\}}?|-->|\*\)|:)?\s*",
    re.IGNORECASE,
)

# --- a sentence that says where code goes ---

_DETERMINERS = (
    r"(?:(?:the|this|your|our|a|an|file|existing|new|complete|full|whole|updated|revised|same)\s+)*"
)
_REFERS = re.compile(
    r"^\W*as\b|\b(?:as (?:above|before|defined|described|done|for|in|it|seen|shown|we|with|you)|like|unlike|same as|"
    r"similar(?:ly)?|already|from|see|because|since|instead of|than|via|through|with|by|imported|used|uses|called|calls|defined|declared|matches|modell?ed|when|once|after|before|if|which|where|no|not|"
    r"never|don't|won't|runs?|running|execute|invoke|start)\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?:\W*(?:and|then|now|next|also|first(?:ly)?|second(?:ly)?|third|finally|lastly|similarly|likewise|step|\d+)\b)*"
    rf"\W*(?:in|inside|into|for|to|within|on|at the \w+ of)\s+{_DETERMINERS}",
    re.IGNORECASE,
)
_PUTS = re.compile(
    r"\b(?:add|append|apply|put|place|insert|paste|declare|define|export|register|change|modify|update|edit|replace|rewrite|"
    r"patch|fix|adjust|extend|write|need|remove|delete|drop|rename|set|raise|turn|make|swap|changes?|edits?|version|"
    r"modifications?|contents?|here is|here are|here's)(?:s|d|ed|ing)?\b.*"
    rf"\b(?:in|to|into|inside|of|for|at|within|on)\s+{_DETERMINERS}$",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf".*\b(?:open|edit|update|updated|modify|modified|create|patch|rewrite|rewritten|save|revised)\s+{_DETERMINERS}",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    rf".*\b(?:change|replace|fix|extend|adjust|touch)\s+{_DETERMINERS}", re.IGNORECASE
)
_LIKE_THIS = re.compile(r"\W*(?:file|as follows|like (?:this|so)|accordingly)?\W*", re.IGNORECASE)
_FRAMEWORK = re.compile(r"[A-Z]\w*\.js")  # Node.js, Vue.js
_FEW = 5  # words beside the name in a line such as “In der Datei `x.py`:”
_BECOMES = re.compile(r"\W*(?:to|with|into|by)\b", re.IGNORECASE)  # the name is what is changed
_COLON = re.compile(r"[:：][\s*_`]*$")
_CLAUSE = re.compile(r"[;!?]\s|[.:]\s+|,\s+(?:then|and|but)\s")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_MOST_LISTED = 4  # names in a sentence
_ANY_OF = "The answer says {}, which may be another file of that name; look whether this part is for this one."
_NO_FILE = (
    "This part of the answer names no file, and other parts do; look whether it is for this one."
)
_UNSURE = 1


@dataclass(frozen=True, slots=True)
class FileMention:
    """A line of a paste that names a file.

    at: its number. names: the file's name, and further ones that it has (the old one of a diff); none if it is of no
    project. is_plain: whether the line is there to name the file; else a sentence says where code goes. is_list:
    whether it is one of several lines in a list, which name ``names``.
    """

    at: int
    names: tuple[str, ...]
    is_plain: bool = True
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class FileShare:
    """The parts of an answer that are for one file, by number.

    doubtful: own parts that may be for another file, each with a sentence. others: the files of all other parts.
    """

    own: tuple[int, ...]
    doubtful: dict[int, str]
    others: tuple[str, ...] = ()


class OtherFilesError(NoReadingError):
    """Raised if no part of an answer is for a file; ``others`` are the files that it names."""

    def __init__(self, others: Iterable[str]) -> None:
        self.others = tuple(others)
        super().__init__(
            f"The paste is for {listed_names(self.others)}, not for this file.", final=True
        )


class FileNames:
    """The files that the lines of a paste name.

    code: numbers of lines that name none. path: the file that the paste is applied to. known: mentions found otherwise,
    as in the head of a diff.
    """

    def __init__(
        self,
        lines: Sequence[str],
        code: Collection[int],
        path: str,
        known: Iterable[FileMention] = (),
    ) -> None:
        found = {
            number: named
            for number, line in enumerate(lines)
            if number not in code and (named := named_in(line, number, path)) is not None
        }
        listed = [n for n in found if n + 1 in found or n - 1 in found]
        listed = [n for n in listed if _ITEM.match(lines[n])]
        every = tuple(dict.fromkeys(name for n in listed for name in found[n].names))
        if len(every) > 1:
            found |= {n: replace(found[n], names=every, is_list=True) for n in listed}
        found |= {named.at: named for named in known}
        self._found = [found[number] for number in sorted(found)]

    def above(self, at: int) -> FileMention | None:
        """The last mention above line ``at`` (0-based, exclusive); ``None`` if there is none, or if it is the head of a
        diff that names no file of a project.
        """
        last = next((named for named in reversed(self._found) if named.at < at), None)
        return last if last is not None and last.names else None


def named_in(line: str, number: int, path: str) -> FileMention | None:
    """The file that a line outside of code names: by the words of a fence, a key, a tag, a label, a heading or a
    sentence that says where code goes; ``None`` if it names none, or several that code could go into, or if it is blank
    or longer than 500 characters.

    The result ``is_plain`` if the line is there to name the file (a tag, a heading, a label), not if it says that code
    goes there. number: the line's number, for the result. path: the file that the paste is applied to; its last part is
    a file's name even without an extension. A sentence that also names ``path`` in another role gives ``None``.
    """
    if not line.strip() or len(line) > _MOST_CHARACTERS:
        return None
    if line.lstrip().startswith(("```", "~~~")):
        return named_by_info(line, number, path)
    for pattern in _KEYED:
        found = pattern.search(line)
        if found and is_file(name := cleaned(found["name"]), path):
            return FileMention(number, (name,))
    whole = cleaned(line.strip(" *`#>:\t"))
    if " " in whole and is_file(whole, path):
        return FileMention(number, (whole,))
    line = _LINK.sub(lambda link: f"`{link[2] if is_file(link[2], path) else link[1]}`", line)
    line = _LINES.sub(r"\1", line)
    mentions = [*_mentions(line, path)]
    if len(mentions) == 1:
        name, before, after = mentions[0]
        is_heading = line.lstrip().startswith("#") or re.fullmatch(r"\s*\*\*.*\*\*\W*", line)
        is_named = _BEFORE.fullmatch(before) and _AFTER.fullmatch(after)
        if is_named or (is_heading and not _REFERS.search(before)):
            return FileMention(
                number, (name,), is_plain=bool(is_heading) or not _SAYS.search(before)
            )
        is_short = len(re.findall(r"\w+", before + after)) <= _FEW and not _BECOMES.match(after)
        if (
            is_short
            and not _REFERS.search(before)
            and (_COLON.search(line) or _COLON.search(before))
        ):
            return FileMention(number, (name,), is_plain=False)
    placed = dict.fromkeys(x for x, before, after in mentions if _is_destination(x, before, after))
    others = [x for x, _, _ in mentions if x not in placed]
    if len(placed) != 1 or any(is_same(x, path) for x in others if path):
        return None
    return FileMention(number, tuple(placed), is_plain=False)


def named_by_info(opening: str, number: int, path: str) -> FileMention | None:
    """The file that the line of an opening fence names (``python:src/a.py``, ``py title="src/a.py"``), a value such as
    ``title`` before other words; ``None`` if it names none.

    number: for the result. path: of the edited file; a word without a dot or slash counts only if it is this path.
    """
    info = opening.strip().lstrip("`~").strip()
    titles = [next(filter(None, found.groups())) for found in _INFO.finditer(info)]
    words = [cleaned(x) for x in (*titles, *re.split(r"[\s{},]+|(?<!\b[A-Za-z]):(?!//)", info))]
    # A language may be called makefile.
    words = [x for x in words if "." in x or "/" in x or x == path]
    return next((FileMention(number, (x,)) for x in words if _is_path(x) or is_file(x, path)), None)


def _is_path(word: str) -> bool:
    """Whether a word has a folder and an extension, and is no address."""
    return "/" in word and "." in word.rpartition("/")[2][1:] and "://" not in word


def named_by_comment(line: str, number: int, path: str) -> FileMention | None:
    """The file that a line of code names if it holds nothing else, in a comment or not; ``None`` if it names none.
    number: for the result. path: of the file that the paste is applied to; its last part counts as a file's name.
    """
    found = _COMMENT.fullmatch(line)
    if found is None or not is_file(name := cleaned(found["name"]), path):
        return None
    return FileMention(number, (name,))


def _mentions(line: str, path: str) -> Iterator[tuple[str, str, str]]:
    """The files that a line mentions, in order, each with the text before and after it; without those in round brackets
    within a sentence and frameworks such as Node.js. path: as in ``is_file``.
    """
    for found in _WORDS.finditer(line):
        name = cleaned(next(filter(None, found.groups())))
        before, after = line[: found.start()], line[found.end() :]
        is_aside = before.count("(") > before.count(")") and before.strip(" (*_`#\t")
        is_inside = before.strip() or re.match(r" \w", after)
        is_word = found[3] and is_inside and _FRAMEWORK.fullmatch(name)
        if is_file(name, path) and not is_aside and not is_word:
            yield name, before, after


def _is_destination(name: str, before: str, after: str) -> bool:
    """Whether a sentence says that code goes into the file ``name``: “in”, “add … to” or “open” stands before it in the
    same clause, or “change” before a path or a name that ends the sentence; false after words that only refer to a
    file. before, after: the sentence around the name.
    """
    clause = _CLAUSE.split(before)[-1]
    if _REFERS.search(clause):
        return False
    if _BEGINS.fullmatch(clause) or _PUTS.search(clause) or _OPENS.fullmatch(clause):
        return True
    return bool(_CHANGES.fullmatch(clause) and ("/" in name or _LIKE_THIS.fullmatch(after)))


def cleaned(name: str) -> str:
    """A file's name with slashes, without line numbers behind it and the ``@`` or ``./`` that a chat puts before it."""
    name = name.strip().replace("\\", "/").removeprefix("file://")
    return _LINES.sub(r"\1", name).removeprefix("./").removeprefix("@")


def is_file(name: str, path: str) -> bool:
    """Whether a word is a file's name: by its extension, as a usual name without one (``Makefile``), or because it
    equals the last part of ``path``. False for addresses, for calls, and for names with blanks unless ``path`` has
    some.
    """
    last = name.rpartition("/")[2]
    if not last or "://" in name or "(" in last or (" " in name and " " not in path):
        return False
    if path and last == _parts(path)[0]:
        return True
    extension = last.rpartition(".")[2].lower() if "." in last[1:] else ""
    return (
        is_file_name(last)
        or extension in _EXTENSIONS
        or _WITHOUT_EXTENSION.fullmatch(last) is not None
    )


def is_same(name: str, path: str) -> bool:
    """Whether both names may be one file: the parts of one path are the last parts of the other."""
    return all(a == b for a, b in zip(_parts(name), _parts(path), strict=False))


def _parts(name: str) -> list[str]:
    """The parts of a path by slashes or backslashes, the last first, each without an ``@`` at its beginning; empty
    parts, a bare ``@``, ``.`` and ``..`` are left out.
    """
    words = (x.removeprefix("@") for x in name.replace("\\", "/").split("/"))
    parts = [x for x in words if x not in ("", ".", "..")]
    return parts[::-1]


def share_of(
    parts: Sequence[FileMention | None], path: str, file: str = "", beside: Collection[str] = ()
) -> FileShare:
    """The parts of an answer that are for the file ``path``; all if ``path`` is empty and at most one file is named.

    parts: the mention of each part's file; ``None`` where nothing names one: such a part is for the file, with a doubt
    if parts for other files are named plainly. file: its absolute path, if that is known. beside: other files that the
    same answer is applied to; a part goes to the one whose path fits best (``closeness``), with a doubt if two fit
    equally, the fit is unsure, or it stands below a list of files. A name with more folders than ``path`` (if ``file``
    is known: only one with a doubt) is another file's if another part's name has no more; with a doubt if there are
    only such names and they differ. Raises ``OtherFilesError`` if no part is for this file, and ``NoReadingError`` if
    ``path`` is empty and several files are named.
    """
    if not path:
        every = {
            tuple(_parts(named.names[0])): named.names[0] for named in parts if named is not None
        }
        if len(every) > 1:
            raise NoReadingError(
                f"The paste changes {listed_names(every.values())}; paste the part for this file."
            )
        return FileShare(tuple(range(len(parts))), {})
    own: dict[int, str] = {}
    doubtful: dict[int, str] = {}
    others: dict[str, bool] = {}
    for number, part in enumerate(parts):
        if part is None:
            own[number] = ""
            continue
        name = max(part.names, key=lambda x: closeness(x, path, file))
        score = closeness(name, path, file)
        rival = max((closeness(name, other) for other in beside), default=0)
        if not score or rival > score:
            others[part.names[0]] = part.is_plain
            continue
        own[number] = name
        if part.is_list:
            doubtful[number] = _NO_FILE
        elif score in (rival, _UNSURE):
            doubtful[number] = _ANY_OF.format(name)
    # What names a folder that the path does not have may be another file of the same name.
    longer = {n: x for n, x in own.items() if len(_parts(x)) > len(_parts(path))}
    if file:
        longer = {n: x for n, x in longer.items() if n in doubtful}
    if len(longer) < sum(map(bool, own.values())):
        others |= dict.fromkeys(longer.values(), True)
        own = {n: x for n, x in own.items() if n not in longer}
    elif len({*map(tuple, map(_parts, longer.values()))}) > 1:
        doubtful |= {n: _ANY_OF.format(x) for n, x in longer.items()}
    if not own:
        raise OtherFilesError(others)
    if any(others.values()):
        doubtful |= {n: _NO_FILE for n, x in own.items() if not x}
    return FileShare(tuple(own), doubtful, tuple(others))


def closeness(name: str, path: str, file: str = "") -> int:
    """A score for a name being that of a file: 2 for each part that both have, if the shorter path is the end of the
    longer one, and 1 more if they are equal; 0 if it is another file's.

    file: the absolute path, if that is known: then a relative name has to be the end of ``file``, and a name of which
    only the folder above all of ``path`` differs scores 1 (unsure), as the project may be called otherwise elsewhere.
    """
    words, parts = _parts(name), _parts(path)
    if file and not re.match(r"/|~|[A-Za-z]:/", name):
        if words == _parts(file)[: len(words)]:
            return 2 * len(words) + (words == parts)
        return _UNSURE if words[:-1] == parts else 0
    return 2 * min(len(words), len(parts)) + (words == parts) if is_same(name, path) else 0


def listed_names(names: Iterable[str]) -> str:
    """The names without duplicates as a text: ``a.py``; ``a.py and b.py``; with more than five, the first four and
    ``and 3 more``. Raises ``ValueError`` for none.
    """
    *first, last = [*dict.fromkeys(names)]
    if len(first) > _MOST_LISTED:
        return f"{', '.join(first[:_MOST_LISTED])} and {len(first) + 1 - _MOST_LISTED} more"
    return f"{', '.join(first)} and {last}" if first else last
