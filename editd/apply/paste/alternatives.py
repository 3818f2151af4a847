"""Chooses among several versions of one thing in an answer: the good one beside the bad, the new one beside the old, an option.

Knows labels, those of chats in a few languages; a label is a short line of prose above a code block, or a comment in
it. Options that no words choose are refused, since both together are never wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.paste.recognise import CodeBlock
from editd.apply.paste.substitutions import Substitution
from editd.apply.reading import NoReadingError
from editd.apply.text.line import REMARK, likeness, stripped
from editd.diff.matching import is_weak

_MOST_WORDS = 6  # of a label
_ALIKE = 0.6  # least likeness of the first lines of two versions
_NEITHER = (
    "The paste has several versions ({}) and does not say which one is meant; paste one of them."
)

_THIS = r"(?: (?:this|that|the|it|code|version|implementation|example|approach|way|fix|change|refactor\w*|update))*"
_SIGN = re.compile(r"\W*?(?:(?P<bad>[❌✗✘✖🚫⛔👎])|[✅✔✓👍])")
_BAD = re.compile(
    r"\W*(?:(?:bad|wrong|incorrect|avoid|don[’']?t(?: do)?|instead of|not|before|old|original|current|previous|"
    rf"existing|buggy|vorher|falsch|schlecht|avant|mauvais|antes|mal|malo|incorrecto|errado|prima|sbagliato){_THIS}\W*(?:\(.*\)\W*)?|"
    r"(?:修改前|之前|错误|不好|変更前|修正前|悪い例|변경 전|수정 전|до|раньше|плохо|неправильно)\W*)",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\W*(?:(?:good|right|correct|better|do|use|prefer|after|new|updated|fixed|improved|recommended|proper|"
    rf"nachher|richtig|gut|besser|après|bon|correct|después|bien|correcto|depois|certo|dopo|giusto){_THIS}\W*(?:\(.*\)\W*)?|"
    r"(?:修改后|之后|正确|推荐|変更後|修正後|良い例|변경 후|수정 후|после|теперь|хорошо|правильно)\W*)",
    re.IGNORECASE,
)
_KIND = (
    r"(?:option|approach|alternative|variant|variante|version|solution|method|choice|lösung|opción|opção|"
    r"вариант|способ|方案|方法|选项|案|オプション|옵션|방법)"
)
_OPTION = re.compile(
    rf"\W*(?P<kind>{_KIND})\s*(?:nr\.?|no\.?|#)?\s*(?P<number>\d+|[a-e]|one|two|three|[一二三])\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\W*(?:alternatively|or(?:,? (?:alternatively|if you prefer|even|use|with|you (?:can|could)))|another (?:option|way|approach)|"
    r"oder|alternativ|ou bien|o bien|alternativamente|或者|または|또는|или)\b",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    rf"\b(?:recommend\w*|prefer\w*|suggest\w*|go(?:ing)? with|i(?:'d| would) (?:use|pick|choose|take|go for)|best|better|favou?r\w*|"
    rf"empfehle\w*|recommande\w*|recomiendo|recomendad[oa])\b[^.;]*?(?P<option>{_KIND}\s*#?\s*(?:\d+|[a-e]|one|two|three)\b)|"
    rf"(?P<named>{_KIND}\s*#?\s*(?:\d+|[a-e]|one|two|three))\b[^.;,]*\b(?:is|are|would be|seems)\b[^.;,]*\b(?:recommended|preferred|best|better|"
    r"what i(?:'d| would))",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:recommended|preferred|my pick|empfohlen|recommandé|recomendad[oa])\b|推荐|推奨|추천|⭐|рекоменд",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Version:
    """Lines of a code block, and the labels above them: the prose, the nearest line first, or a comment of the block."""

    block: int
    lines: tuple[str, ...]
    above: tuple[str, ...]

    @property
    def label(self) -> str:
        """``bad``, ``good``, ``other`` for a version that may be taken instead, or an empty string."""
        return _label(_bare(self.above[0])) if self.above else ""

    @property
    def option(self) -> str:
        """The name of the option in the nearest line above that begins with one (``option 2``); empty if none does."""
        found = next(filter(None, map(_OPTION.match, map(_bare, self.above))), None)
        return _name(found[0]) if found else ""

    @property
    def first(self) -> str:
        """The version's first line that is code, stripped; empty if there is none."""
        return next((x.strip() for x in self.lines if not is_weak(x) and not REMARK.match(x)), "")


def _label(bare: str) -> str:
    """The label that a line of prose or a comment is: ``other`` if it begins with words such as “alternatively”;
    ``bad`` or ``good`` if it begins with a sign (❌, ✅) or is such a label alone, of six words at most; else an empty
    string. bare: the line without the signs of Markdown and comments.
    """
    if _OTHERWISE.match(bare):
        return "other"
    if sign := _SIGN.match(bare):
        return "bad" if sign["bad"] else "good"
    if not bare or len(bare.split()) > _MOST_WORDS:
        return ""
    return "bad" if _BAD.fullmatch(bare) else "good" if _GOOD.fullmatch(bare) else ""


def choose_versions(
    code_blocks: Sequence[CodeBlock], paste: str, known: Collection[str]
) -> tuple[CodeBlock, ...]:
    """The code blocks without versions that the answer does not want; blocks of which nothing is left fall away. As
    they are if nothing is left out.

    Not wanted are a version labelled as bad right before or after a good one, those that words such as “alternatively”
    offer in place of an earlier one, and options that are not recommended. A block labelled as old, and the new one
    after it, become one with old and new lines. paste: all of the answer. known: the file's lines, stripped; a comment
    that the file has is no label. Raises ``NoReadingError`` if two options or more are named and no words choose
    exactly one.
    """
    code_blocks = [*_paired(code_blocks, known)]
    every = [
        version
        for number, block in enumerate(code_blocks)
        for version in _versions(number, block, known)
    ]
    if len(every) == 1:
        return tuple(code_blocks)
    chosen_versions = _of_options(_without_bad(every), paste)
    if len(chosen_versions) == len(every):
        return tuple(code_blocks)
    found = []
    for number, block in enumerate(code_blocks):
        lines = [
            line for version in chosen_versions if version.block == number for line in version.lines
        ]
        if any(lines):
            found.append(replace(block, lines=stripped(lines)))
    return tuple(found)


def _paired(code_blocks: Sequence[CodeBlock], known: Collection[str]) -> Iterator[CodeBlock]:
    """The code blocks, each pair of a “bad” block and a “good” one after it as one block (the good one, without prose)
    that replaces the bad one's lines.

    Paired only if the file has all lines of the bad one, the good one has no other line of the file with a letter or
    digit, and neither shows old lines of its own. known: the file's lines, stripped.
    """
    position = 0
    while position < len(code_blocks):
        old, *rest = code_blocks[position : position + 2]
        labels = [_Version(0, x.lines, x.prose).label for x in (old, *rest)]
        lines = {x.strip() for x in old.lines}
        if (
            labels == ["bad", "good"]
            and not (old.substitutions or rest[0].substitutions)
            and all(not x or x in known for x in lines)
            and all(
                x.strip() in lines or x.strip() not in known or is_weak(x) for x in rest[0].lines
            )
        ):
            new = rest[0]
            yield replace(new, prose=(), substitutions=(Substitution(old.lines, new.lines, 0),))
            position += 2
        else:
            yield old
            position += 1


def _versions(number: int, block: CodeBlock, known: Collection[str]) -> Iterator[_Version]:
    """The versions within a code block, cut at the comments that label a good or bad one, else at those that name
    options; all of the block as one version if there are fewer than two such comments or the parts begin unlike each
    other.

    Lines above the first label are a version of their own, without labels. number: of the block. known: the file's
    lines, stripped, which label nothing.
    """
    comments = [n for n, x in enumerate(block.lines) if REMARK.match(x) and x.strip() not in known]
    label_lines = [
        n for n in comments if _Version(0, (), (block.lines[n],)).label in ("bad", "good")
    ]
    label_lines = label_lines or [n for n in comments if _OPTION.match(_bare(block.lines[n]))]
    parts = [
        _Version(number, block.lines[start + 1 : end], (block.lines[start], *block.prose))
        for start, end in pairwise([*label_lines, len(block.lines)])
    ]
    if len(parts) < 2 or not all(likeness(x.first, parts[0].first, _ALIKE) for x in parts):
        yield _Version(number, block.lines, block.prose)
        return
    if any(block.lines[: label_lines[0]]):
        yield _Version(number, block.lines[: label_lines[0]], ())
    yield from parts


def _without_bad(every: Sequence[_Version]) -> list[_Version]:
    """The versions without a bad one right before or after a good one, and without those that may be taken instead of
    an earlier one.
    """
    labels = [version.label for version in every]
    return [
        version
        for number, version in enumerate(every)
        if not (labels[number] == "bad" and "good" in labels[max(0, number - 1) : number + 2])
        and not (labels[number] == "other" and number)
    ]


def _of_options(every: Sequence[_Version], paste: str) -> list[_Version]:
    """The versions of the option that words recommend, and those before the first option; all versions if fewer than
    two options are named.

    A version without an option of its own belongs to the option named last. Recommended is an option whose heading says
    so, else one that a sentence of ``paste`` names as such. Raises ``NoReadingError`` if none of the options is
    recommended, or several.
    """
    names: list[str] = []
    for version in every:
        names.append(version.option or (names[-1] if names else ""))
    options = list(dict.fromkeys(filter(None, names)))
    if len(options) < 2:
        return list(every)
    headings = (x for version in every for x in map(_bare, version.above) if _CHOSEN.search(x))
    recommended = {_name(found[0]) for found in filter(None, map(_OPTION.match, headings))} or {
        _name(found["option"] or found["named"]) for found in _CHOOSES.finditer(paste)
    }
    if len(recommended.intersection(options)) != 1:
        listed = ", ".join(name.capitalize() for name in options)
        raise NoReadingError(_NEITHER.format(listed), final=True)
    return [
        version for version, name in zip(every, names, strict=True) if name in ("", *recommended)
    ]


def _bare(line: str) -> str:
    """A line of prose or a comment without the comment's signs, and without blanks and the signs of Markdown at its ends."""
    return re.sub(r"^\s*(?://+|#+|--+|/?\*+|<!--)|(?:\*/|-->)\s*$", "", line).strip("*_#>-: \t")


def _name(option: str) -> str:
    """The words of an option's name in small letters."""
    return " ".join(re.findall(r"\w+", option.lower()))
