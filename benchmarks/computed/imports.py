"""Imports shuffled, which must come back; one put in, which must go again."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from random import Random

from benchmarks.computed.posing import Posed, same_tree

_IMPORT_LINES = {
    "python": r"(?:import|from) [\w. ,]+(?: import [\w, ]+)?",
    "javascript": r"import [^'\"]+ from ['\"][^'\"]+['\"];?",
    "typescript": r"import [^'\"]+ from ['\"][^'\"]+['\"];?",
    "go": r"\t(?:\w+ )?\"[^\"]+\"",
    "rust": r"(?:pub )?use [^{}]*(?:\{[^{}]*\})?;",
    "java": r"import [\w.]+;",
    "c": r"#include [<\"][^<>\"]+[>\"]",
}


def _groups(text: str, language: str) -> list[tuple[int, int]]:
    """Lines ``start .. end`` that are imports of one line each, two or more."""
    pattern = re.compile(_IMPORT_LINES[language])
    lines = text.split("\n")
    found: list[tuple[int, int]] = []
    start = None
    for at, line in enumerate([*lines, ""]):
        if at < len(lines) and pattern.fullmatch(line):
            start = at if start is None else start
        elif start is not None:
            is_held = start > 0 and lines[start - 1].startswith("#[")  # by an attribute
            if at - start > 1 and not is_held:
                found.append((start, at))
            start = None
    return found


def _plain_key(line: str, language: str) -> tuple[object, ...]:
    if language in ("javascript", "typescript"):
        path = re.split(r"['\"]", line)[-2]
        return path.startswith("."), path.lower()
    if language == "go":
        return (re.split(r"\"", line)[1],)
    return (line.rstrip(";").removeprefix("import "),)


def _is_in_order(text: str, language: str) -> bool:
    """By the language's own tool, or where it has none here, by the characters."""
    if language == "python":
        command = ["ruff", "check", "--isolated", "--select", "I001", "--no-cache", "-q", "-"]
    elif language == "rust":
        command = ["rustfmt", "--check", "--edition", "2021", "--config", "max_width=100"]
    else:
        lines = text.split("\n")
        for start, end in _groups(text, language):
            keys = [_plain_key(line, language) for line in lines[start:end]]
            if keys != sorted(keys) or len(set(map(str, keys))) < len(keys):
                return False
            listed = [re.findall(r"\w+", found[1]) for line in lines[start:end]
                      if (found := re.search(r"\{(.*)\}", line))]  # fmt: skip
            if any(names != sorted(names, key=str.lower) for names in listed):
                return False
        return True
    return not subprocess.run(
        command, input=text, text=True, capture_output=True, check=False
    ).returncode


def sort(text: str, language: str, rng: Random) -> Posed | None:
    """A file in order, its imports shuffled: it must come back."""
    groups = _groups(text, language)
    if not groups or not _is_in_order(text, language):
        return None
    lines = text.split("\n")
    for start, end in groups:
        block = lines[start:end]
        if language == "c":  # a header of its own name, or a configuration, is first for a reason
            block = [line for line in block if "config" not in line and "windows" not in line]
            if len(block) < end - start:
                return None
        if any("__future__" in line for line in block):
            continue
        rng.shuffle(block)
        lines[start:end] = block
    shuffled = "\n".join(lines)
    return None if shuffled == text else (shuffled, "sort the imports", lambda new: new == text)


_UNUSED = {
    "python": ("import quopri_", "from zlib_ import zeta_"),
    "javascript": ("import zeta_ from 'zeta';", "import { zeta_ } from 'zeta';"),
    "typescript": ("import zeta_ from 'zeta';", "import type { Zeta_ } from 'zeta';"),
    "go": ('\t"encoding/ascii85"', '\tzeta_ "x.org/zeta"'),
    "rust": ("use std::collections::BinaryHeap;", "use crate::zeta_;"),
    "java": ("import zeta.Zeta_;", "import static zeta.Zeta.zeta_;"),
}


def unused(text: str, language: str, rng: Random) -> Posed | None:
    """An import that nothing uses, put among the others: just this one goes."""
    if language not in _UNUSED or not (groups := _groups(text, language)):
        return None
    lines = text.split("\n")
    start, end = rng.choice(groups)
    if lines[start][:1] != rng.choice(_UNUSED[language])[:1]:
        return None
    added = rng.choice(_UNUSED[language])
    if re.split(r"[\W]+", added.rstrip(";'\" "))[-1] in text or lines[start].startswith(
        "from __future"
    ):
        return None
    lines.insert(rng.randint(start + 1, end), added)
    before = "\n".join(lines)
    if language == "python":
        return before, "remove the unused imports", lambda new: same_tree(new, _by_ruff(before))

    def judge(new: str) -> bool:
        """Just that one, and others only if their names stand nowhere else."""
        lost = Counter(re.findall(r"\w+", text)) - Counter(re.findall(r"\w+", new))
        names = [word for word in lost if word not in ("import", "type", "from", "as", "use")]
        return added not in new.split("\n") and all(
            len(re.findall(rf"\b{word}\b", text)) == lost[word] for word in names
        )

    return before, "remove the unused imports", judge


def _by_ruff(text: str) -> str:
    command = ["ruff", "check", "--isolated", "--select", "F401", "--fix", "--no-cache", "-q", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).stdout
