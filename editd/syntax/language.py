"""The language of a file by its name: the word after a code fence, and the parser where one is installed.

Knows file names and LSP language ids. Reads no file; an unknown language is ``""``.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser

SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
PROSE = ("text", "markdown", "rst", "latex")
MARKDOWN = frozenset({"markdown", "mdx", "quarto", "rmarkdown"})
MARKUP = MARKDOWN | {"html", "xml", "vue", "svelte", "astro", "jsx", "tsx", "php", "erb", "latex"}
"""Languages in whose text elements (``<s>``) stand."""
_GRAMMARS = {
    "c": ("tree_sitter_c", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
# By language; the first is its usual one.
_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs",
    "jsx": "jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "swift": "swift",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "lua": "lua",
    "perl": "pl",
    "r": "r",
    "julia": "jl",
    "haskell": "hs",
    "ocaml": "ml",
    "elixir": "ex exs",
    "erlang": "erl",
    "clojure": "clj",
    "zig": "zig",
    "dart": "dart",
    "vim": "vim",
    "elisp": "el",
    "bash": "sh bash",
    "zsh": "zsh",
    "fish": "fish",
    "powershell": "ps1",
    "sql": "sql",
    "html": "html htm",
    "css": "css",
    "scss": "scss",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "xml": "xml svg",
    "json": "json",
    "jsonc": "jsonc",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg",
    "markdown": "md markdown",
    "mdx": "mdx",
    "quarto": "qmd",
    "rmarkdown": "rmd",
    "rst": "rst",
    "latex": "tex",
    "protobuf": "proto",
    "cmake": "cmake",
    "makefile": "mk",
    "nix": "nix",
    "hcl": "tf",
    "text": "txt",
    "diff": "diff patch",
}
_LANGUAGES = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}
_NAMES = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "justfile": "just",
    ".bashrc": "bash",
    ".gitignore": "gitignore",
    "go.mod": "go.mod",
}
# LSP language ids (specification, section TextDocumentItem) that differ from the fence's word.
_LANGUAGE_IDS = {
    "javascriptreact": "jsx",
    "typescriptreact": "tsx",
    "shellscript": "bash",
    "objective-c": "objc",
    "objective-cpp": "objcpp",
    "plaintext": "text",
    "perl6": "raku",
    "git-commit": "text",
    "git-rebase": "text",
    "dockercompose": "yaml",
    "github-actions-workflow": "yaml",
    "azure-pipelines": "yaml",
    "ansible": "yaml",
    "sh": "bash",
    "c++": "cpp",
    "c#": "csharp",
    "rmd": "rmarkdown",
    "qmd": "quarto",
}


def language_of(path: str, language_id: str = "") -> str:
    """The language's usual name after a code fence; ``""`` for an unknown file name.

    An editor's ``language_id`` goes before the path, an unknown one as it is, in lower case. An id
    that is no single word of at most 32 characters is ignored, since it would stand in the prompt's
    own lines.
    """
    named = language_id.strip().lower()
    if named and re.fullmatch(r"[a-z0-9][a-z0-9+#_.-]{0,31}", named):
        return _LANGUAGE_IDS.get(named, named)
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    if name in _NAMES:
        return _NAMES[name]
    _, dot, extension = name.rpartition(".")
    return _LANGUAGES.get(extension, "") if dot else ""


def language_named(word: str) -> str:
    """The language that ``word`` (in any case) is the name, the extension without a dot or the LSP
    id of; ``""`` for any other word.
    """
    word = word.lower()
    if word in _EXTENSIONS or word in _NAMES.values():
        return word
    return _LANGUAGES.get(word) or _LANGUAGE_IDS.get(word, "")


def language_names() -> tuple[str, ...]:
    """The languages that a file's name can show."""
    return tuple(dict.fromkeys([*_EXTENSIONS, *_NAMES.values()]))


def is_file_name(word: str) -> bool:
    """Whether ``word`` ends in an extension that a source file has: ``setup.py``, not ``os.path``."""
    stem, dot, extension = word.rpartition(".")
    return bool(stem and dot) and extension.lower() in _LANGUAGES


def extension_of(language: str) -> str:
    """The usual extension without its dot, ``""`` for an unknown language."""
    return next(iter(_EXTENSIONS.get(language, "").split()), "")


@cache
def parser_of(language: str) -> Parser | None:
    """A tree-sitter parser for ``language``; ``None`` if the language has no grammar here or its
    package is not installed. The first call for a language imports the grammar; later ones share
    its parser, which is not thread-safe.
    """
    module_name, function = _GRAMMARS.get(language, ("", ""))
    if not module_name:
        return None
    try:
        grammar = importlib.import_module(module_name)
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(getattr(grammar, function)()))
