"""Comments that programs or lawyers read, which "delete the comments" leaves: for tools, documentation, the licence.

A table by what reads them. A comment is looked at without its marks, so one row serves every language; where a mark is
part of what is read (``//go:build``, ``///``), the row says so. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

TOOLS, DOCUMENTATION, LICENCE = "comments for tools", "documentation", "the licence"
# By language; a longer mark before one that it begins with. A mark that is repeated is a line, no documentation.
_DOCUMENTED = {
    "/**/": (),
    "/***": (),
    "////": (),
    "/**": ("c", "cpp", "java", "javascript", "jsx", "typescript", "tsx", "rust", "php", "kotlin", "scala", "swift", "dart",
            "csharp", "css", "scss"),
    "///": ("rust", "c", "cpp", "csharp", "swift", "dart", "zig", "javascript", "typescript", "tsx", "jsx"),
    "//!": ("rust", "c", "cpp", "zig", "javascript", "jsx", "typescript", "tsx"),
    "/*!": ("rust", "c", "cpp", "javascript", "jsx", "typescript", "tsx", "css", "scss", "less"),
    "---": ("lua",),
    "#'": ("r",),
    "-- |": ("haskell",),
    "{-|": ("haskell",),
}  # fmt: skip
_CODING = re.compile(r"coding[:=]\s*[-\w.]+")  # Python, Ruby, Emacs
# Read only with just these marks.
_WITH_MARKS = re.compile(
    r"//(?:go|export|line|extern|lint|nolint|revive|sys|easyjson)[: ]\s*\w"  # Go
    r"|//\s*\+build\b|///\s*<(?:reference|amd)|/[/*]\s?[#@]\s?source(?:Mapping)?URL="
    r"|/\*!\d{5}|/\*\+|--\+"  # MySQL, hints of Oracle
    r"|/\*\s*[@#]__\w+__|/\*::|/\*: "  # bundlers, Flow
    r"|#(?:end)?region\b|<!--\s*(?:\[if\b|#(?:include|echo|if|set|exec|config)\b|/?ko\b)|\{-#|#:schema|#\+\w+:"
)
_OTHERS = re.compile(
    r"endregion\b|region:|vi?m?: ?\S+=|ex: ?\S+=|local variables:|in\s?\[[\d\s]*\]:|code generated\b|do not edit\b"
    r"|-?falls?[ -]?thr(?:ough|u)\b|(?:v8|c8|istanbul) ignore|/{2,3} script$|(?:no|use) critic\b|zig fmt:|sourcery skip|pragma\b",
    re.IGNORECASE,
)
# Of one language: English words in any other.
_SCRIPT = r"(?:globals?|exported)\s+[\w$]+\s*(?:[,:*]|$)|standard[:-]|@(?:flow|jsx\w*|preserve|providesModule|format|prettier)\b"
_IN_LANGUAGE = {
    "python": r"type:\s*(?:ignore\b|\(|[\w.]+(?:\[.*\])?\s*(?:#|$))",
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx"), _SCRIPT),
    "go": r"(?:unordered )?output:",
    "rust": r"SAFETY:|edition:|ignore-\w+",
    "ruby": r"(?:typed|encoding|warn_indent|standard):",
    "dart": r"(?:ignore|@dart)\s*[:=]",
    "sql": r"name:\s*\w+\s+:(?:one|many|exec|batch|copy)|migrate:|noqa",
    "dockerfile": r"(?:syntax|escape|check)\s*=",
    "powershell": r"#?requires -",
    "markdown": r"more\s*(?:-->|$)|toc\b",
    "html": r"ko\b.*-->",
}
_BY_LANGUAGE = {name: re.compile(row, re.IGNORECASE) for name, row in _IN_LANGUAGE.items()}
_ANYWHERE = re.compile(
    r"SPDX-License-Identifier|\bNOLINT\b|\bNOSONAR\b|@generated\b|#\s*noqa\b|#\s*type:\s*ignore|pragma: ?no ?cover"
    r"|\bvim?: ?(?:set?|ft|ts|sw)\b|DO NOT (?:EDIT|MODIFY|REMOVE)|-\*-.*-\*-|@(?:license|preserve|ts-\w+|eslint-\w+)\b"
)
# Documentation that says how a test or a file is run.
_ENVIRONMENT = re.compile(r"@(?:vitest|jest)-|@flow|@jsx|@format")
_LICENCE = re.compile(
    r"copyright|licen[cs]ed?\b|\(c\)\s*\d{4}|©|all rights reserved|public domain|SPDX-|permission is hereby",
    re.IGNORECASE,
)
# Comments that go on, and the comment that ends them.
_SECTIONS = (
    (re.compile(r"/{2,3} script|script$"), r"/{2,3}$|$"),
    (re.compile(r"local variables:", re.IGNORECASE), r"end:"),
    (re.compile(r"(?:unordered )?output:", re.IGNORECASE), r"(?!)"),  # of Go
)


def staying(comments: Sequence[tuple[int, str]], text: str, language: str) -> dict[int, str]:
    """The kind (``TOOLS``, ``DOCUMENTATION`` or ``LICENCE``) of each comment that should stay, by its offset;
    others are left out. ``region`` stays if the text has an ``endregion``; a comment may stay for those beside it,
    as in a licence.

    comments: the offset in ``text`` of each and its own text with its marks, in order.
    """
    found: dict[int, str] = {}
    for start, comment in comments:
        line = text.count("\n", 0, start)
        if kind := _kind_of(comment, line, language):
            found[start] = kind
    if any(re.match("#?endregion", _bare(comment)) for _, comment in comments):
        found |= {
            start: TOOLS for start, comment in comments if _bare(comment).startswith("region")
        }
    for block in _blocks(comments, text):
        is_head = not re.sub(r"^#!.*|<\?php", "", text[: block[0][0]]).strip()
        _keep_blocks(block, found, text, is_head=is_head)
    return found


def _kind_of(comment: str, line: int, language: str) -> str:
    """The kind of a comment by its own text and its 0-based line; empty for a comment for people. The first of
    these decides: ``#!`` in line 0 and an encoding in the first two lines (for tools), marks that tools read,
    documentation (for tools if it has ``@jest-``, ``@flow`` or the like), words that tools read.
    """
    if line == 0 and comment.startswith("#!"):
        return TOOLS
    if line <= 1 and comment.startswith("#") and _CODING.search(comment):
        return TOOLS
    if _WITH_MARKS.match(comment):
        return TOOLS
    if language in _DOCUMENTED.get(_documentation_mark(comment), ()):
        return DOCUMENTATION if not _ENVIRONMENT.search(comment) else TOOLS
    bare = _bare(comment)
    rows = (_ALWAYS, _OTHERS, *filter(None, [_BY_LANGUAGE.get(language)]))
    is_read = any(row.match(bare) for row in rows) or _ANYWHERE.search(comment)
    return TOOLS if is_read else ""


def _keep_blocks(
    block: Sequence[tuple[int, str]], found: dict[int, str], text: str, *, is_head: bool
) -> None:
    """Add to ``found``, in place, the comments of a block that are read together: a licence at the
    file's head, C above Go's ``import "C"``, and what follows a comment in ``found`` that opens a
    section, to the section's end.

    is_head: nothing but ``#!`` or ``<?php`` stands above the block. Kinds that are known stay.
    """
    last, comment = block[-1]
    after = text[last + len(comment) :].lstrip()
    kind = LICENCE if is_head and any(_LICENCE.search(x) for _, x in block) else ""
    if re.match(r'import\s+"C"|import\s*\(\s*"C"', after):
        kind = TOOLS
    if kind:
        found.update((start, kind) for start, _ in block if start not in found)
        return
    until = ""
    for start, comment in block:
        bare = _bare(comment)
        if until:
            found.setdefault(start, TOOLS)
            until = "" if re.match(until, bare) else until
        elif start in found:
            until = next((end for opening, end in _SECTIONS if opening.match(bare)), "")


def _blocks(comments: Iterable[tuple[int, str]], text: str) -> Iterable[list[tuple[int, str]]]:
    """Yield runs of comments with nothing but blanks and at most one line end between two of them."""
    block: list[tuple[int, str]] = []
    for start, comment in comments:
        if block:
            between = text[block[-1][0] + len(block[-1][1]) : start]
            if between.strip() or between.count("\n") > 1:
                yield block
                block = []
        block.append((start, comment))
    if block:
        yield block


def _bare(comment: str) -> str:
    """A comment without the marks at its beginning."""
    return re.sub(
        r"^(?:#+|//+|/\*+!?|--+\[*|<!--+|;+|%+|\(\*|\{-|\"|')\s*(?:\*\s*)?", "", comment.strip()
    )


def _documentation_mark(comment: str) -> str:
    """The first mark of the table with which a comment begins; empty if none."""
    return next((mark for mark in _DOCUMENTED if comment.startswith(mark)), "")


def _beginnings(words: str) -> re.Pattern[str]:
    """A pattern for text that begins with one of these words in any case, with @ or # before it or not."""
    return re.compile(f"[@#]?(?:{'|'.join(map(re.escape, words.split()))})", re.IGNORECASE)


# A comment that begins so is read by a program, whatever follows: the programs' names, and what is no English.
_ALWAYS = _beginnings(
    """
    noqa pylint: pylint- pyright mypy: ruff: flake8 isort: fmt: yapf: autopep8: pytype: pyre- nosec nopep8 nopycln skipcq
    basedpyright cython: distutils: doctest: bandit: vulture: refurb: sourcery: pragma: %%
    eslint jshint jslint jscs tslint oxlint stylelint prettier- biome- deno- dprint- $Flow ts-ignore ts-expect-error
    ts-nocheck jsxImportSource noflow istanbul webpackChunk webpackPrefetch webpackPreload webpackMode webpackIgnore vite-
    vitest- jest- cc_on #__ babel- swc- xo: djlint: htmlhint textlint
    NOLINT nolint lint: clang-format clang-tidy cppcheck coverity[ uncrustify: IWYU *INDENT- LCOV_ GCOV GCOVR_ PVS- FALLTHR
    CHECKSTYLE NOPMD NOSONAR $NON-NLS ktlint detekt: scalastyle: scalafmt: @formatter: noinspection language= injection=
    ReSharper <auto-generated csharpier rustfmt clippy:: compile-flags:
    rubocop: frozen_string_literal frozen-string-literal shareable_constant_value steep: sorbet: reek: erb_lint haml-lint
    :nocov: :nodoc: :stopdoc: :startdoc: :call-seq: phpcs: phpstan- @phpstan @psalm @codingStandards @codeCoverageIgnore
    shellcheck shfmt: luacheck: stylua: selene: sqlfluff: liquibase changeset +goose +migrate ignore_for_file
    coverage:ignore swiftlint: swiftformat: swift-format- swift-tools-version credo: HLINT nolint styler: buf: protolint:
    hadolint yamllint markdownlint tflint- tfsec: checkov: kics- trivy: semgrep nosemgrep gitleaks: codespell: cspell: spell-checker:
    spellchecker: editorconfig-checker yaml-language-server renovate: actionlint vale
    SPDX- @generated -*- vim: kate: #region #endregion MARK:
    """
)
