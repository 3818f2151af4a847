"""Cues of edits of imports: those that nothing uses go, or they are sorted. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.counting import numbered
from editd.intent.evidence.cue import Cue, Words, one_of, words_like
from editd.intent.intents import RemoveUnusedImports, SortImports

_IMPORT = r"(?:imports?|requires?|includes?|usings?|uses|`?use`?[ -](?:lines?|statements?|declarations?)|import[ -](?:lines?|statements?|block|list|section))"
_SAID_TO_BE_IMPORTS = re.compile(
    r"\b(?:import|require|include|using|F401|no-unused|unused[- ]import|use lines?)|`use`",
    re.IGNORECASE,
)


def _without_names(pattern: re.Pattern[str]) -> str:
    """The pattern with groups that have no names."""
    return re.sub(r"\?P<\w+>", "?:", pattern.pattern)


def _unused_imports(
    request: str, words: Words, _: Words, facts: BufferFacts
) -> RemoveUnusedImports | None:
    """The imports that are said to be unused; all of them for none; ``None`` for words that are no imports."""
    named = [x.strip("`'\"") for words_ in words for x in words_.split()]
    if any(x not in facts.imports for x in named):
        return None
    if not named and not _SAID_TO_BE_IMPORTS.search(request):
        return None
    names = tuple(dict.fromkeys(name for x in named for name in facts.imports[x]))
    if names and not _bound_in(request, facts).issubset(names):
        return None
    return RemoveUnusedImports(names)


_GROUPS = {
    "stdlib": r"(?:stdlib|std|standard[- ]library|standard|built-?ins?|python's own)",
    "packages": r"(?:third[- ]party|externals?|packages?|libraries|libs|installed|npm|node modules|dependencies|frameworks?)",
    "own": r"(?:our own|our|ours|own|local|locals|first[- ]party|internal|project'?s?|relative|app)",
}
"""Patterns of the words for the kinds of imports."""
_ONES = r"(?: (?:ones?|imports?|modules?|files?|stuff|packages?|lines?|group|things|code))*"
_GROUP = rf"(?<!its )(?<!in )(?<!their )\b(?:{'|'.join(_GROUPS.values())})\b(?! group\b){_ONES}"
_PUT_IN_ORDER = r"(?:first|on top|at the top|before|ahead of|in front of|above|last|at the end|at the bottom|after(?:wards)?|then|below|follow\w*)"
_STAYS = re.compile(
    rf"\b(?:the |our |all )*(?P<words>(?!imports?\b|requires?\b)[\w.-]+){_ONES} (?:(?:can|should|must|may|has to|have to) )?(?:stays?|remains?|(?:is|are) (?:fine|ok|okay))(?: (?:as (?:they|it) (?:are|is)|as is|alone|untouched|unchanged|put|there|where (?:they|it) (?:are|is)))?"
    rf"|\b(?:leave|keep|don't touch) (?:the |our |all )*(?P<words2>(?!imports?\b|requires?\b|sort)[\w.-]+){_ONES}(?: (?:as (?:they|it) (?:are|is)|as is|alone|untouched|unchanged|there|where (?:they|it) (?:are|is)))?",
    re.IGNORECASE,
)
"""The words that say that some imports stay where they are."""
_OF_THE_TOP = re.compile(
    r"\b(?:the )?(?:top|first|upper) (?P<number>two|three|four|five|six|[2-9])\b", re.IGNORECASE
)
_OURS = re.compile(
    r"\b(?:ours|our own|own|local|first[- ]party)(?: (?:ones|imports|modules))? ?\((?P<names>[^()]+)\)"
    r"|(?P<names2>\w+(?:(?:,| and|, and|/| &) \w+)*) (?:is|are) (?:ours|our own|own|local|first[- ]party|from (?:us|our repo))\b",
    re.IGNORECASE,
)
_AT_AN_END = re.compile(
    r"\b(?P<name>[\w@./-]+)(?: imports?)? (?:(?:goes|comes|stays?|should be|is|to be|must be|has to be) )*(?P<end>first|on top|at the top|last|at the end|at the bottom)\b",
    re.IGNORECASE,
)
_GROUPED = re.compile(
    r"\b(?:blank|empty) lines? between|\bgroup|\bsections?\b|\bseparate", re.IGNORECASE
)
_OF_LINES = re.compile(r"\bby (?:the |their )?(?:module|path|source|package)s?\b", re.IGNORECASE)
_NOT_GROUPED = re.compile(r"\b(?:no|without) (?:blank|empty) lines?\b", re.IGNORECASE)


def _bound_in(request: str, facts: BufferFacts) -> set[str]:
    """The names in a request that imports of the buffer bind."""
    words = set(re.findall(r"[^\W\d]\w*", request))
    return {x for x in words if facts.imports.get(x) == (x,)}


def _sort_imports(request: str, words: Words, __: Words, facts: BufferFacts) -> SortImports | None:
    """Imports in order: all, or the part of which alone the request speaks; ``None`` for words that are no imports."""
    if any(x not in facts.imports for x in " ".join(words).split()):
        return None
    stays = tuple(x["words"] or x["words2"] for x in _STAYS.finditer(request))
    rest = _STAYS.sub(" ", request)
    ours = [
        name for x in _OURS.finditer(rest) for name in re.findall(r"\w+", x["names"] or x["names2"])
    ]
    if re.search(r"\b(?:ours|our own|own|local)\b", rest, re.IGNORECASE):
        ours += " ".join(words).split()  # "ours (json)"
    top = _OF_THE_TOP.search(rest)
    ends = {
        "first" if x["end"].lower() in ("first", "on top", "at the top") else "last": x["name"]
        for x in _AT_AN_END.finditer(rest)
        if x["name"] in facts.imports
    }
    return SortImports(
        part=_part_in(rest),
        top=numbered(top["number"]) if top else 0,
        spared=stays,
        own=tuple(x for x in ours if x != "and"),
        first=ends.get("first", ""),
        last=ends.get("last", ""),
        is_of_lines=_OF_LINES.search(rest) is not None,
        is_grouped=bool(_GROUPED.search(rest)) and not _NOT_GROUPED.search(rest),
    )


def _part_in(request: str) -> str:
    """The only kind of imports of which a request speaks, unless it says where they go; else empty."""
    spoken = [
        kind
        for kind, pattern in _GROUPS.items()
        if re.search(rf"(?<!its )\b(?:{pattern})\b(?! group)(?={_ONES})", request, re.IGNORECASE)
    ]
    goes = rf"{_GROUP} (?:come |comes |go |goes |should be |to be )?{_PUT_IN_ORDER}|\bput\b|\bgroup|\bseparate|\bblank line"
    if len(spoken) != 1 or re.search(goes, request, re.IGNORECASE):
        return ""
    return (
        spoken[0]
        if re.search(
            rf"{_GROUPS[spoken[0]]} (?:\w+ )?(?:imports?|ones|modules|requires?)\b|\bimports? (?:of|from) (?:the )?{_GROUPS[spoken[0]]}|^{_GROUPS[spoken[0]]}\b",
            request,
            re.IGNORECASE,
        )
        else ""
    )


REMOVE_UNUSED_IMPORTS = Cue(
    "remove the unused imports",
    one_of(
        r"\b(?:unused|unneeded|left-?over|superfluous|dead|useless|unnecessary|redundant|stale|needless)[ -](?:imports?|requires?|includes?|usings?|uses?|ones)\b",  # unused imports
        rf"\b{_IMPORT}\b[^,;]*\b(?:are|is) (?:all )?(?:dead|unneeded|superfluous|useless|unnecessary|redundant|stale|needless)\b",  # three of the requires are dead
        r"\bunused\b",
        r"\b(?:left-?overs?|superfluous|for nothing|F401|no-unused(?:-vars?|-imports?)?|TS6133)\b",  # sys is imported for nothing
        # nobody needs json
        r"\b(?:not|never|n't|no longer|nobody|nothing|no one|none)\b(?: \S+){0,6}? (?:us(?:e|es|ed|ing)|need(?:s|ed)?|requir(?:e|es|ed)|referenced?)\b",
        r"\b(?:don't|doesn't|isn't|aren't|wasn't) (?:\w+ )?(?:use[sd]?|need(?:ed)?|referenced)\b",  # os isn't needed
        r"\bwithout (?:any )?use\b|\bha(?:s|ve) no use\b|\bno use for\b",  # the imports without use
        r"\bgrey(?:s|ed)?[- ]out\b",  # the IDE greys them out
        rf"\b(?:prune|purge) (?:the |these |my |our |all )*{_IMPORT}$",  # prune imports
    ),
    one_of(
        words_like(
            r"""remove delete drop out away kill kick clean\w* clear strip throw prune get_rid_of take make go gone but dead imports? imported requires? required includes? usings? `?use`? compiles? compiler
        warn\w* complain\w* linter pyflakes flake8 ruff eslint rustc cargo sonar pylint ide tsc intellij pycharm vet stuff anymore any_more defined import_lines? names? modules? same twice optimi[sz]e using being top
        up_there in_there lines? statements? declarations? any some few couple one_of two_of three_of four_of everything whatever ones? angry longer i.e says? said leave left list packages? still organi[sz]e"""
        )
    ),
    _unused_imports,
    harmless=one_of(
        r"\b(?:unused|needed|used) ones\b",
        r"\bnever used\b",
        r"\b(?:unused ones) only\b|\(unused ones only\)",
        r",? no\?|, is it\?|, are they\?|isn't it\?",
        r"\bnot the only one\b",
        r"\bkeep (?:only )?(?:the |those )?(?:\w+ )?(?:that |which )?(?:are |is |we )?(?:really )?(?:needed|used|need|use)\b",
    ),
    against=one_of(
        words_like(
            r"add sort order functions? methods? variables? code parameters? arguments? constants? class(?:es)? print\w* console comments? dependenc(?:y|ies) method routes?"
        )
    ),
)
SORT_IMPORTS = Cue(
    "sort the imports",
    one_of(
        # sort the imports
        rf"\b(?:sort|order|alphabeti[sz]e|reorder|re-order|isort|re-?arrange|arrange|tidy|organi[sz]e|re-sort|group)(?:ed|s|ing)?\b(.*)\b{_IMPORT}\b",
        # the imports are in no order
        rf"\b{_IMPORT}\b(.*)\b(?:sorted|sort|order(?:ed)?|(?:in(?:to)? )?(?:\w+ )?order|alphabetic(?:al|ally)?|alphabeti[sz]ed?|a(?:-|\.\.| to )z|abc(?: order)?|gofmt(?:'ed|-style)?(?: order)?|isort|unsorted|un-sorted|grouped|arranged|pep ?8)\b",
        rf"\b(?:alphabetical|abc|gofmt(?:-style)?|rustfmt) (?:order )?(.*)\b{_IMPORT}\b",
        rf"\b(?:re-?)?sort(?:ed)? {_IMPORT}\b|\bimport order(?:ing)?\b|\bgoimports\b|\bI001\b|^isort$|\brun isort\b|\bisort (?:it|this|order|style)\b",
        rf"\b(?:put|move|bring) (?:the )?{_GROUPS['stdlib']}{_ONES} (?:first|on top|before|at the top|to the top)\b",  # put the stdlib first
        rf"^(?:please )?(?:the )?{_GROUPS['stdlib']}{_ONES} first\b",  # stdlib first, then ours
    ),
    one_of(
        _GROUP,
        rf"\b{_IMPORT}\b",
        words_like(
            r"""order\w* sort\w* isort\w* random alphabet\w* blocks? java\.util groups? grouped chaos mess messy all_over_the_place linter ruff flake8 eslint checkstyle gofmt\w* rustfmt goimports ci
            fails? complain\w* un-?sorted unordered I001 by_name abc a-z a_to_z un isn't aren't chaotic on_top_of_\S+ modules? packages? names? run tidy tidier sources? paths? they_come_from
            blank empty lines? separated? apart between inside within default defaults? i\.e e\.g pep convention pep8 8 statements? declarations? each arranged? arrange properly and_so_on slf4j"""
        ),
    ),
    _sort_imports,
    harmless=one_of(
        *map(_without_names, (_STAYS, _OURS, _OF_THE_TOP)),
        rf"{_GROUP} (?:come |comes |go |goes |should be |to be )?{_PUT_IN_ORDER}",
        rf"\b(?:before|after|then|in front of) (?:the )?(?:{_GROUP}|[\w.]+(?:,? and [\w.]+)*)",
        _GROUP,
        r"\b(?:\w+ (?:and|,) )*[\w.]+ (?:goes |comes |stays |should be )?(?:last|at the end|at the bottom|first|on top|at the top)\b",
        r"\bkeep (?:the )?imports sorted\b",
        r"\bsort the rest\b",
    ),
    against=one_of(
        r"\blength\b|\bdescending\b|\breverse\b|\bunused\b|\bfile name\b|\bfrom-imports\b|\b(?:longest|shortest)\b|\b(?:not |never )?used\b",
        r"\bimport x\b",
    ),
)
