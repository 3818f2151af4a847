"""Where an import is recognised, in every language: by how a line begins, and by what a parser calls it.

Each form is a row of ``_FORMS``; whoever asks about imports asks here. Whether an import is used is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to write an import.

    word: the first that only imports have. begins: a pattern for a line's beginning, after its indentation. whole: a
    pattern for a statement that fills a line of its own; empty if such a line may well stand twice. nodes: by language
    what tree-sitter calls the statement. members: the same for an import in a group that a statement holds.
    """

    word: str
    begins: str
    whole: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)


_FORMS = (
    _Form(
        "import",
        r"import\b",
        r"import\b(?!.*[({,]$).+",
        {
            "javascript": "import_statement",
            "go": "import_declaration",
            "java": "import_declaration",
        },
        {"go": "import_spec"},
    ),
    _Form("from", r"from\s+\S+\s+import\b", r"from\s+\S+\s+import\b(?!.*[(,\\]$).+"),
    _Form("include", r"#\s*include\b", r"#include\b.+", {"c": "preproc_include"}),
    _Form("use", r"use\s", r"use\s+[^{]+;", {"rust": "use_declaration"}),
    _Form("using", r"using\s", r"using\s+[\w.:]+;"),
    _Form("require", r"require\b"),
    _Form(
        "require",
        r"(?:const|let|var|local)\s.*\brequire\s*\(",
        r"(?:const|let|var)\s.*\brequire\(.+\);?",
    ),
)

IMPORT_WORDS = tuple(dict.fromkeys(form.word for form in _FORMS))
IMPORT_NODES = frozenset(node for form in _FORMS for node in form.nodes.values())
