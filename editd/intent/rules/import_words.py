"""Words in which people ask for an import in any order: what is left of them are the names to import.

Nothing of a buffer confirms a new name, so every other word has to be known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.intent import lexicon
from editd.intent.english import tokens_of
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts

GO_PACKAGES = words_of(
    """
    fmt os io time strings strconv sync errors log math sort bytes bufio context regexp net net/http net/url encoding/json
    encoding/csv encoding/xml encoding/base64 path path/filepath flag reflect unicode testing os/exec os/signal math/rand
    html/template text/template runtime crypto/sha256 crypto/md5 database/sql embed io/fs slices maps atomic sync/atomic syscall
    """
)
_REQUIRE = re.compile(r"\brequire\(\s*([\"'][^\"']+[\"'])\s*\);?")
_IMPORTING = words_of(
    "import imports imported importing include includes #include require requires required scope"
)
_KNOWN = (
    lexicon.SAYS_NOTHING
    | _IMPORTING
    | words_of(
        """
        add adds insert put bring get pull load include forgot forget miss missing need needs needed use using used above
        below also too too as well up there here still yet but not isn't aren't never no is it's it later soon other others
        statement statements line lines list block section group package packages module modules library header crate
        available into comes come lives lies part from via with at the top head
        """
    )
) - words_of("wish mind")
_NEEDED = words_of("need needs needed missing")
_NOT_ASKED = words_of(
    "unused sort sorted remove delete drop lazily lazy circular inside dynamic dynamically rename"
)


@dataclass(frozen=True, slots=True)
class ImportWords:
    """The import that a request asks for: ``name``, or from ``module`` each of ``items``. requires: it says "require"."""

    name: str = ""
    module: str = ""
    items: tuple[str, ...] = ()
    requires: bool = False


def import_words_of(text: str) -> ImportWords | None:
    """The import that a request in any words asks for: one name, or up to three names from a module.

    ``None`` for another request, an exception, or if the words that are left are none or more than four, a single one
    with "from", or several of which the last is not said to be the module ("from x"); also if the sentence tells what
    something does ("imports …").
    """
    tokens = [
        token for token in tokens_of(_REQUIRE.sub(r"require \1", text)) if token.kind == "term"
    ]
    words = [token.word for token in tokens]
    is_of_use = re.search(r"::|\buse (?:lines?|statements?|for|of)\b|\ba use\b", text)
    is_asked = (
        bool(is_of_use)
        or not _IMPORTING.isdisjoint(words)
        or ("from" in words and not _NEEDED.isdisjoint(words))
    )
    if excepts(text) or not is_asked or not _NOT_ASKED.isdisjoint(words):
        return None
    left = [
        at
        for at, token in enumerate(tokens)
        if token.quoted or token.text in lexicon.LANGUAGES or token.word not in _KNOWN
    ]
    if words[0] in ("imports", "includes", "requires", "uses"):
        return None  # tells what something does
    if not left or len(left) > 4 or any(" " in tokens[at].text for at in left):
        return None
    names = [tokens[at].text.rstrip(";") for at in left]
    requires = "require" in words
    if len(left) == 1 and "from" in words:
        return None
    if len(left) == 1:
        return ImportWords(name=names[0], requires=requires)
    is_from = words[left[-1] - 1] == "from" or (
        words[left[-1] - 1] in ("the", "module", "package") and "from" in words[left[-2] : left[-1]]
    )
    joined = set(words[left[0] : left[-2] + 1]) - {"", "and", "also"} - {x.lower() for x in names}
    if not is_from or joined:
        return None
    return ImportWords(module=names[-1], items=tuple(names[:-1]), requires=requires)
