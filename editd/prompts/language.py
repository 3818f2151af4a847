"""Which language a file is written in: the word after a fence, and the parser where there is one.

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


def language_of(path: str, language_id: str = "") -> str:
    """The language's usual name after a code fence, ``""`` when it cannot be told.

    The editor's ``language_id`` knows better than the path; an id that is no single word is not
    trusted, since it would be in the prompt's own lines.
    """
    named = language_id.strip().lower()
    if named and re.fullmatch(r"[a-z0-9][a-z0-9+#_.-]{0,31}", named):
        return _LANGUAGE_IDS.get(named, named)
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    if name in _NAMES:
        return _NAMES[name]
    _, dot, extension = name.rpartition(".")
    return _EXTENSIONS.get(extension, "") if dot else ""


def is_file_name(word: str) -> bool:
    """Whether ``word`` ends in an extension that a source file has: ``setup.py``, not ``os.path``."""
    stem, dot, extension = word.rpartition(".")
    return bool(stem and dot) and extension.lower() in _EXTENSIONS


def extension_of(language: str) -> str:
    """The usual extension without its dot, ``""`` for an unknown language."""
    return next((ext for ext, name in _EXTENSIONS.items() if name == language), "")


@cache
def parser_of(language: str) -> Parser | None:
    """A tree-sitter parser for ``language``; ``None`` when none is installed. Not thread-safe."""
    module_name, function = _GRAMMARS.get(language, ("", ""))
    if not module_name:
        return None
    try:
        grammar = importlib.import_module(module_name)
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(getattr(grammar, function)()))


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

# The first extension of a language is its usual one.
_EXTENSIONS = {
    "py": "python",
    "pyi": "python",
    "pyw": "python",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "jsx",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "c": "c",
    "h": "c",
    "cpp": "cpp",
    "cc": "cpp",
    "cxx": "cpp",
    "hpp": "cpp",
    "hh": "cpp",
    "java": "java",
    "kt": "kotlin",
    "kts": "kotlin",
    "scala": "scala",
    "swift": "swift",
    "cs": "csharp",
    "rb": "ruby",
    "php": "php",
    "lua": "lua",
    "pl": "perl",
    "r": "r",
    "jl": "julia",
    "hs": "haskell",
    "ml": "ocaml",
    "ex": "elixir",
    "exs": "elixir",
    "erl": "erlang",
    "clj": "clojure",
    "zig": "zig",
    "dart": "dart",
    "vim": "vim",
    "el": "elisp",
    "sh": "bash",
    "bash": "bash",
    "zsh": "zsh",
    "fish": "fish",
    "ps1": "powershell",
    "sql": "sql",
    "html": "html",
    "htm": "html",
    "css": "css",
    "scss": "scss",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "xml": "xml",
    "svg": "xml",
    "json": "json",
    "jsonc": "jsonc",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "md": "markdown",
    "markdown": "markdown",
    "rst": "rst",
    "tex": "latex",
    "proto": "protobuf",
    "cmake": "cmake",
    "mk": "makefile",
    "nix": "nix",
    "tf": "hcl",
    "txt": "text",
    "diff": "diff",
    "patch": "diff",
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
    "sh": "bash",
    "c++": "cpp",
    "c#": "csharp",
}
