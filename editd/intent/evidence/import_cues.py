"""Cues of edits of imports: those that nothing uses go, or they are sorted. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.intents import RemoveUnusedImports, SortImports


def _unused_imports(
    request: str, words: Words, _: Words, facts: BufferFacts
) -> RemoveUnusedImports | None:
    """The imports that are said to be unused; all of them for none; ``None`` for words that are no imports."""
    named = [x.strip("`'\"") for words_ in words for x in words_.split()]
    if any(x not in facts.imports for x in named):
        return None
    if not named and not re.search(
        r"\b(?:import|require|include|using|F401|no-unused)", request, re.IGNORECASE
    ):
        return None
    return RemoveUnusedImports(
        tuple(dict.fromkeys(name for x in named for name in facts.imports[x]))
    )


def _sort_imports(_: str, words: Words, __: Words, facts: BufferFacts) -> SortImports | None:
    """Imports in order; ``None`` for words that are no imports."""
    return SortImports() if all(x in facts.imports for x in " ".join(words).split()) else None


REMOVE_UNUSED_IMPORTS = Cue(
    "remove the unused imports",
    pattern(
        r"""\b(?:unused|unneeded|left-?over|superfluous|dead|useless|unnecessary|redundant|stale)_(?:imports?|requires?|includes?|usings?|uses?|ones)\b
        |\bunused\b|\b(?:left-?overs?|superfluous|for_nothing|F401|no-unused(?:-vars?)?)\b
        |\b(?:not|never|n't|no_longer|nobody|nothing|no_one|none)_(?:\w+_){0,2}(?:us(?:e|es|ed|ing)|need(?:s|ed)?|requir(?:e|es|ed))\b|\b(?:don't|doesn't|isn't|aren't)_(?:\w+_)?(?:use[sd]?|need(?:ed)?)\b|\bgrey(?:s|ed)?_out\b"""
    ),
    pattern(
        r"""\b(?:remove|delete|drop|out|away|kill|clean\w*|strip|throw|prune|get_rid_of|take|go|gone|but|dead|imports?|imported|requires?|required|compiles?|compiler|warn\w*|complain\w*|linter|pyflakes|flake8
        |ruff|eslint|rustc|pylint|ide|tsc|intellij|vet|stuff|anymore|any_more|defined|import_lines?|names?|modules?|same|twice|optimi[sz]e|using|being|top)\b"""
    ),
    _unused_imports,
    harmless=pattern(
        r"\b(?:unused|needed|used)_ones\b|\bnever_used\b|\b(?:unused_ones)_only\b|\(unused_ones_only\)|,_no\?"
    ),
    against=pattern(
        r"\b(?:add|sort|order|functions?|methods?|variables?|code|parameters?|arguments?|constants?|class(?:es)?|print\w*|console|comments?)\b"
    ),
)
SORT_IMPORTS = Cue(
    "sort the imports",
    pattern(
        r"""\b(?:sort|order|alphabeti[sz]e|reorder|isort|re-?arrange|tidy|organi[sz]e|re-sort|group)(?:ed|s|ing)?\b(.*)\b(?:imports?|requires?|includes?|usings?|uses)\b
        |\b(?:imports?|requires?|includes?|usings?|uses|import_block)\b(.*)\b(?:sorted|sort|(?:in(?:to)?_)?(?:\w+_)?order|alphabetic(?:al|ally)?|alphabeti[sz]ed?|a(?:-|_to_)z|abc(?:_order)?|gofmt(?:'ed|-style)?(?:_order)?|isort|ordered|unsorted|un-sorted)\b
        |\b(?:alphabetical|abc|gofmt(?:-style)?)_(?:order_)?(.*)\bimports?\b|\b(?:re-?)?sort(?:ed)?_imports?\b|\bimport_order(?:ing)?\b|\bgoimports\b|\bI001\b|^isort$|\brun_isort\b"""
    ),
    pattern(
        r"""\b(?:imports?|stdlib|std|standard_library|library|third[-_]party|order\w*|sort\w*|isort\w*|random|alphabet\w*|blocks?|java\.util|groups?|grouped|chaos|mess|messy|all_over_the_place|linter|ruff|flake8|eslint
        |checkstyle|gofmt\w*|goimports|ci|fails?|complain\w*|un-?sorted|unordered|I001|by_name|abc|a-z|un|isn't|aren't|chaotic|on_top_of_\S+|modules?|packages?|names?|run|tidy)\b"""
    ),
    _sort_imports,
    harmless=pattern(
        r"\b(?:stdlib|std|standard_library|builtins?)(?:_imports?)?_first\b|\bkeep_(?:the_)?imports_sorted\b"
    ),
    against=pattern(
        r"\blength\b|\bdescending\b|\breverse\b|\bunused\b|\bfile_name\b|\bfrom-imports\b|\b(?:ours|our_own|own|first[-_]party|local)\b|(?<!library)(?<!stdlib)(?<!std)(?<!builtins)_(?:first|last)\b|\b(?:longest|shortest)\b|\bused\b"
    ),
)
