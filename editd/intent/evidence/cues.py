"""The cues of edits that need no target, kind by kind: the words that speak for an edit, those that go with it, those against it.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent.english import is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.intents import (
    ChangeQuotes,
    DeletePrints,
    Located,
    PrintsToLogging,
    RemoveUnusedImports,
    ReturnEarly,
    SortImports,
    UseFStrings,
    UseTemplateLiterals,
    UseWithOpen,
)


def pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case and in which white space counts for nothing: ``_`` is a blank."""
    return re.compile(re.sub(r"\s+", "", text).replace("_", " "), re.IGNORECASE)


Words = tuple[str, ...]
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cue:
    """The words that speak for one kind of edit.

    words: the edit as a plain sentence. says: found in a request for it; its groups are the gaps between its words. about: words
    that go with it and say no more. makes: the intent, of the clauses that ask, of their words that nothing explains, of the
    definitions that are named, and of the buffer's facts; ``None`` if it is none after all. nouns: of the places that it changes, as alternatives of a pattern in the
    singular; empty if no place can be described. choosing: words that may choose among places. harmless: what sounds like an
    exception or a second edit and is none here. against: found in a request for something else. deletes: what is
    there goes, so that a remark may not be doubtful. has_conditions: "if" and "when" are a part of it. is_of_block: a definition
    mostly has one such place, so that words which the buffer does not have say why.
    """

    words: str
    says: re.Pattern[str]
    about: re.Pattern[str]
    makes: Callable[[str, Words, Words, BufferFacts], Located | None]
    nouns: str = ""
    choosing: re.Pattern[str] = _NOTHING
    harmless: re.Pattern[str] = _NOTHING
    against: re.Pattern[str] | None = None
    deletes: bool = False
    has_conditions: bool = False
    is_of_block: bool = False


_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_PRINT = r"(?:prints?(?:_?outs?)?(?:\(\))?|printing|printed|(?:fmt\.)?println!?s?(?:\(\))?|printf!?s?|console\.logs?(?:\(\))?|console\.log-|system\.out(?:\.println)?s?(?:\(\))?|stdout|echos?|echoes)"
_LOG = r"(?:logging(?:\.\w+)?|\w*logger(?:\.\w+)?|(?<!console\.)(?<!electron-)\x5f*log\.\w+|\x5flog|(?<!console\.)(?<![-\w])log(?![-\w(])|logged|electron-log)"
_LEVEL = pattern(
    r"\b(?:\w*log\w*\.)?(?P<level>debug|info|warn|warning|error|critical)\b(?:_level)?"
)
_QUOTES = re.compile(r"\b(?P<kind>double|single)", re.IGNORECASE)
_OLD_QUOTES = re.compile(
    r"\b(?:instead of|rather than|from|replace|convert|change|turn|have|has|are|is|some|all the|the|not|no)(?: (?:all|the|of|these|those|strings?))*"
    r" (?P<kind>double|single)s?\b(?![^,;.]*\b(?:everywhere|please|pls)\b)",
    re.IGNORECASE,
)
_NEW_QUOTES = re.compile(
    r"(?:(?:^|[;,] |\b(?:please|should|must|to|and|pls) )use|\b(?:to|into|with|by|be|in|want|wants|make (?:them|it|all)|agreed on|on|prefers?|should have)|->|=>|→) (?:the )?(?P<kind>double|single)s?\b",
    re.IGNORECASE,
)
_NEW_LOGGER = re.compile(r"\b(?:(?:name|call) it|named|called) (?P<name>\w+)", re.IGNORECASE)
_LOGGER = re.compile(r"\b(?P<name>\w+)\.(?:debug|info|warn|warning|error|critical)\b")


def _use_with(_: str, words: Words, __: Words, facts: BufferFacts) -> UseWithOpen | None:
    """``with`` in Python, for the only word if that is a name, and ``try`` with resources in Java; ``None`` in other languages."""
    is_name = len(words) == 1 and words[0] in facts.names and words[0] not in facts.imports
    name = words[0] if is_name else ""
    return UseWithOpen(name) if facts.language in ("python", "java") else None


def _f_strings(
    _: str, __: Words, ___: Words, facts: BufferFacts
) -> UseFStrings | UseTemplateLiterals | None:
    """F-strings in Python, template literals in scripts; ``None`` in other languages."""
    if facts.language == "python":
        return UseFStrings()
    return UseTemplateLiterals() if facts.language in _SCRIPTS else None


_CONDITION = re.compile(
    r"\b(?P<word>if|when(?:ever)?|unless|on|for|with|against|in case(?: of)?|as long as)\b(?!-) (?P<condition>(?!in\b|around\b|block\b|the if\b|an? (?:early|guard)\b)[^,;:]+?)"
    r"(?=$|[,;:]| (?:->|=>|instead|rather|so|please|early|first|to cut|just|then|at the top|up front|right away|straight away|we|it should|return|raise|throw|continue|bail|exit|and (?:return|continue|raise|throw|bail|exit|then|print|unindent|the rest))\b)",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"\b(?:return|returns|returning) (?:early )?(?P<value>None|null|nil|True|False|undefined|-?\d+|''|\"\"|\[\]|\{\}|(?:an |the )?empty string)(?!\w)",
    re.IGNORECASE,
)
_RAISED = re.compile(r"\b(?P<verb>raise|throw|continue)s?\b", re.IGNORECASE)


def _return_early(
    request: str, words: Words, places: Words, facts: BufferFacts
) -> ReturnEarly | None:
    """The turned ``if`` of the one function that is named, or the only one that has the condition, which is the words that nothing
    else explains.
    """
    if len(places) > 1:
        return None
    code = re.search(
        r"`(?:if )?\(?(?P<code>[^`]*?)\)? *(?:\{[^`]*)?`|\"if \((?P<plain>[^\"()]+)\)", request
    )
    found = _CONDITION.search(request)
    condition = found["condition"] if found else " ".join(words)
    if found and found["word"].lower() == "unless":
        condition = f"not {condition}"
    for place in places:
        condition = re.sub(rf" in (?:the )?{re.escape(place)}(?:\(\))?", "", condition)
    described = f"{condition} {' '.join(places)}".lower()
    if any(x.lower() not in described for x in " ".join(words).split()):
        return None
    if code:
        condition = code["code"] or code["plain"] or ""
    value = next((x["value"] for x in _RETURNED.finditer(request)), "")
    value = (
        {"none": "None", "true": "True", "false": "False"}.get(value.lower(), value)
        if facts.language == "python"
        else value
    )
    raised = _RAISED.search(request)
    in_loop = bool(re.search(r"\bcontinue\b", request))
    if not places and not condition:
        return None
    verb = "" if not raised or in_loop or value else raised["verb"].lower()
    return ReturnEarly(
        value="" if "empty" in value else value or verb,
        in_loop=in_loop,
        described=condition,
    )


def _prints_to_logging(
    request: str, words: Words, _: Words, __: BufferFacts
) -> PrintsToLogging | None:
    """The level that is named, and the logger; ``None`` for several levels or loggers, or if neither prints nor one of them are named."""
    levels = {x["level"].lower() for x in _LEVEL.finditer(request)}
    loggers = {x["name"] for x in _LOGGER.finditer(request)} - {"console"}
    loggers |= {x["name"] for x in _NEW_LOGGER.finditer(request)}
    is_about_prints = words or re.search(_PRINT, request, re.IGNORECASE)
    if len(levels) > 1 or len(loggers) > 1 or not is_about_prints:
        return None
    logger = next(iter(loggers), "")
    if not logger and re.search(r"\bmodule[- ]level logger\b|getLogger", request, re.IGNORECASE):
        logger = "logger"
    return PrintsToLogging(next(iter(levels), ""), "" if logger == "logging" else logger)


def _delete_prints(request: str, words: Words, _: Words, __: BufferFacts) -> DeletePrints | None:
    """Statements that print, all of them; ``None`` if neither prints nor one of them are named."""
    is_about_prints = words or re.search(_PRINT, request, re.IGNORECASE)
    return DeletePrints() if is_about_prints else None


def _quotes(request: str, words: Words, _: Words, facts: BufferFacts) -> ChangeQuotes | None:
    """The kind of quotes to write; ``None`` if both kinds are named, and not one of them as the new one and the other as the old one."""
    kinds = {x["kind"].lower() for x in _QUOTES.finditer(request)}
    old = {x["kind"].lower() for x in _OLD_QUOTES.finditer(request)}
    new = {x["kind"].lower() for x in _NEW_QUOTES.finditer(request)}
    if not kinds:
        marks = re.findall(r"(?<!\w)(['\"])(?:¤{1,3}\1)?(?!\w)", request)
        return ChangeQuotes(marks[1]) if len(marks) == 2 and marks[0] != marks[1] else None
    if len(kinds) > 1:
        kinds = new if len(new) == 1 else kinds - old
        if kinds & old:
            return None
    elif kinds == old != new and not new:
        kinds = {"double", "single"} - old
    if len(kinds) != 1:
        return None
    texts = {x.strip("'\"") for x in facts.strings}
    each = tuple(" ".join(words).split())
    is_named = all(x in texts or (x in facts.names and is_code_like(x)) for x in each)
    return ChangeQuotes('"' if kinds == {"double"} else "'", names=each if is_named else ())


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


USE_WITH = Cue(
    "use a context manager",
    pattern(
        r"""\bcontext[-_]?manag(?:ers?|ed?|es|ing)\b|\bwith[-_]?(?:open\b(?:\([^()]*\))?|(?:statements?|blocks?|clauses?|syntax|constructs?)\b)|\bwith_with\b
        |\b(?:use|using|via|by|in|into|inside|to|of|a|an|the|proper|w/)_[`'"]?with[`'"]?(?=[,.;:!)]|$|_(?:for|in|here|instead|so|please|rather|would|around|as)\b)
        |[`'"]with[`'"]|\btry-with(?:-resources?)?\b|(?:->|=>|→)_with\b|\bwith_(?:would_fix|fixes|please|pls)\b|\bwithout_(?:a_)?with\b
        |\bclos(?:e|es|ed|ing)_(?:\w+_){0,2}(?:automatically|properly|reliably|safely|in_any_case|no_matter_what|whatever_happens)\b|\b(?:automatically|properly|always)_clos(?:es?|ed)\b"""
    ),
    pattern(
        r"""\b(?:open(?:ed|s|ing)?(?:\([^()]*\))?(?:_?/_?close[sd]?)?|open/close|\w+\.close(?:\(\))?|clos(?:e[sd]?|ing)(?:\(\))?(?:_calls?)?|files?|handles?|objects?|leak\w*
        |resources?|automatic\w*|wrap(?:ped)?|exceptions?|errors?|safe|exception-safe|without|inside|around|calls?|syntax|get_rid_of|stays?|remains?|descriptor|as(?:_\w+)?)(?!\w)"""
    ),
    _use_with,
    nouns="file|handle|open|call|resource|context manager|with",
    harmless=pattern(
        r"\b(?:drop|remove|delete|skip|lose)_(?:the_|that_|this_)?(?:explicit_|manual_|extra_)?(?:\w+\.)?close(?:\(\))?(?:_call)?\b|\bnever_clos\w+|\bwhen_(?:read|writ|open|load|sav)ing\b|\b(?:like|as_in)_[^,.;:]*"
    ),
    is_of_block=True,
)
USE_F_STRINGS = Cue(
    "use f-strings or template literals",
    pattern(
        r"""\bf[-_]?strings?\b|(?<!\w)f["']¤{0,3}["']|\bbackticks?\b|\btemplate[-_](?:strings?|literals?)\b|\b(?:string_)?interpolat(?:e|ed|ion)\b|\bprefer-template\b|\$\{\}|`¤{3}`
        |(?<!\w)%[-_]?(?:style_)?formatting\b|\bpercent[-_]?(?:style_)?formatting\b|(?<![\w)])\.format(?:\(\))?(?!\w)|\bold[-_]style_formatting\b"""
    ),
    pattern(
        r"""\b(?:strings?|formatt?(?:ed|ing)|format|concat\w*|percent(?:-format\w*)?|plus(?:es)?|signs?|messages?|texts?|literals?|glu(?:e|ed|ing)|operators?|joined|join(?:ing)?|together
        |templates?|old-style|eslint|linter|ruff|pyupgrade|rule|tuple|complain\w*|fail\w*|return(?:s|ed)?|python|print[_ ]out|rid_of|py3\d*|3\.\d+|is_so_\d+|by|calls?|names?|output|makes?|builds?|built|building)\b|(?<!\w)[%+](?!\w)|`¤*`"""
    ),
    _f_strings,
    harmless=pattern(
        r"\b(?:like|as_in)_[^,.;:]*|\bonly_(?=f-?strings?|template)|\bkeep_(?:the_)?(?:\w+_)?(?:padding|precision|width|rounding|alignment|formatting|decimals?)\b"
    ),
    nouns=r"message|string|text|print|line|url|path|key|subject|title|error|name|f[- ]?string|template[- ](?:literal|string)|output|call|warning|exception|log|literal",
)
RETURN_EARLY = Cue(
    "return early",
    pattern(
        r"""\bearly_(?:return|exit|out|continue)s?\b|\b(?:return|exit|bail|leave|get|raise|throw)s?_(?:(?:out|false|true|none|null|nil|\S{1,3}|an?_\w+|the_empty_string)_)?(?:early|right_away|straight_away|up_front|first|at_once|immediately)\b|\bguard[-_]?(?:clause|style|statement)?s?\b
        |\b(?:invert|flip|reverse|negate|turn_around|turn)\b([^.;]*?)\b(?:if|check|condition|test)\b|\bbail(?:s|ing)?_out\b
        |\b(?:return|raise|throw|continue)\b(.*)\b(?:un-?indent\w*|dedent\w*|no_nesting|un-?nest\w*|flatten\w*|flat\b|without_(?:the_)?(?:indent\w*|nesting)|no_else|one_level|big_if)
        |\bun-?nest\w*\b|\binstead_of_nesting\b|`¤+`(?=.*\b(?:rest|nest\w*|un-?indent\w*|style)\b)|\bif\b([^.;,:]+?)[,:{]?_(?:then_)?return\b(?=$|[,;._}"])|\bif_\([^()]*\)_return\b|`if_¤*`|`¤*`(?=_style)"""
    ),
    pattern(
        r"""\b(?:nest\w*|indent\w*|un-?nest\w*|dedent\w*|unindent\w*|wrap\w*|bod(?:y|ies)|else|if|block|levels?|happy_path|returns?|returning|raises?|throws?|continue|exits?|at_the_top|rest|flat|flatten|pull|deep|depth
        |cut_down|too_much|big|style|top|up_front|out|first|then|early|away|empty_string|condition|check|case|whole|pythonic|go-style|false|true|none|null|nil|guard|loops?|exit|prints?|printing|isn't|there's|that's|it's)\b"""
    ),
    _return_early,
    harmless=pattern(
        r"\b(?:first(?:_thing)?|then|(?:the_)?rest|leave_(?:early|first)|only_if|no_else|keep_going)\b"
    ),
    against=pattern(r"\b(?:except|catch|try)\b"),
    has_conditions=True,
    is_of_block=True,
)
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
LOG = Cue(
    "log instead of printing",
    pattern(
        rf"""\b{_PRINT}(?!\w)(.*?)(?<!\w){_LOG}(?!\w)|(?<!\w){_LOG}(?!\w)(.*?)\b{_PRINT}(?!\w)
        |\b(?:(?:should|must)_(?:be|become|go_to|go_through|use)|make_it|becomes?|via|use|as)_(?:a_|an_|the_)?(?:{_LOG}(?:_(?:messages?|calls?))?)(?!\w)|(?:->|=>|→)_?{_LOG}(?!\w)"""
    ),
    pattern(
        rf"""\b(?:{_PRINT}|log\w*(?:\.\w+)?|consoles?|level|info|debug|warn|warning|error|messages?|calls?|statements?|module(?:_level)?|use|go|through|collector|via|to_be|output|object|instead_of|reach\w*|plain|not(?=_(?:an?_)?print)|(?:and_)?not(?=__|$)|nor)(?!\w)|(?<!\w){_LOG}(?!\w)"""
    ),
    _prints_to_logging,
    nouns=r"message|print|println|console\.log|line|call|log message",
    choosing=pattern(r"\b(?:dbg|debug(?=_(?:prints?|messages?|output)))\b"),
    harmless=pattern(
        r"\b(?:like|as_in)_[^,.;:]*|\b(?:so_)?why_(?:do_we_|still_|is_it_)?print\w*\??"
    ),
    against=pattern(
        r"\b(?:remove|delete|drop|kill|get_rid_of|add|insert|timestamps?|(?:to|into)_(?:a_|the_)?file)\b"
    ),
)
DELETE_PRINTS = Cue(
    "delete the prints",
    pattern(
        rf"""(?<!the_)(?<!a_)\b(?:remove|delete|drop|kill|strip|get_rid_of|take|throw|clean|rip|nuke|no)\b(.*?)\b(?:{_PRINT}|debug_(?:output|lines?|statements?)|log_(?:lines?|calls?))(?!\w)
        |\b(?:{_PRINT}|debug_(?:output|lines?|statements?)|log_(?:lines?|calls?))(?!\w)(.*?)\b(?:be_(?:removed|deleted|dropped)|remove|delete|drop|kill|out|go(?:es)?(?!_(?:to|through|via|into))|away|take_(?:it|them)_out|get_rid_of)\b
        |(?<![.\w])log\b(?!\.)(.*?)\b(?:remove|delete|drop)_it\b|[\"'`]¤+[\"'`](.*)\b(?:remove|delete|drop)_it\b"""
    ),
    pattern(
        rf"""\b(?:{_PRINT}|logs?|lines?|calls?|statements?|messages?|outputs?|outs?|debug\w*|dbg|trace|noise|noisy|spam\w*|left[-_]?over|leftovers?|forgot\w*|remove[ds]?|delete[ds]?|deleting|removing|drop(?:ped)?|kill
        |strip|take|throw|clean|out|away|get_rid_of|gone|must|prod(?:uction)?|code|in_here|forgotten|costs?|system|temporary)(?!\w)"""
    ),
    _delete_prints,
    nouns=r"print|println!?|console\.log|echo|log|line|call|statement|message|printf",
    choosing=pattern(r"\b(?:debug|dbg|debugging|trace)\b"),
    harmless=pattern(r"\bnot_(?:needed|used|wanted|necessary|useful)\b|\bno_longer_\w+"),
    against=pattern(
        r"\b(?:use|using|switch|convert|turn|replace|become|instead|add|insert|comment|rename|logging|logger|should_be|(?<!not_be_)logged|log_it|log_them)\b|->|=>|→"
    ),
    deletes=True,
)
CHANGE_QUOTES = Cue(
    "change the quotes",
    pattern(
        r"""\b(?:double|single)[-_]quot\w+|\bquot\w+\b(.*?)\b(?:double|single)s?\b|\b(?:double|single)_(?:\w+_)?quotes?\b
        |\b(?:double|single)s?_(?:everywhere|please|pls|throughout|ones?)\b
        |(?<!\w)(?:'¤{0,3}'|'|"¤{0,3}"|")_(?:strings?_)?(?:to|into|->|=>|→)_(?:'¤{0,3}'|'|"¤{0,3}"|")(?!\w)"""
    ),
    pattern(
        r"\b(?:strings?|quot\w+|single|double|singles|consistent\w*|inconsistent|mixed|literals?|eslint|prettier|black|linter|nag\w*|config\w*|diff|small|around|have|has|values?|wants?|unify|uniform)\b|['\"]¤{1,3}['\"]"
    ),
    _quotes,
    nouns="string|value|literal|quote",
    harmless=pattern(
        r"""\b(?:like|as)_(?:in_|at_|with_)?(?:the_|all_|our_)?(?:\w+_)?(?:others?|rest|everywhere_else|everything_else|\w+_values)\b[^,.;]*
        |\b(?:single|double)_ones\b|\b(?:double|single)[-_]quot\w+(?:_strings)?_only\b|\bsome_(?=\w+_(?:are|have|is)\b|singles?\b|doubles?\b)"""
    ),
    against=pattern(r"\btriple\b|\bdocstrings?\b|\bescape\b|\bput_quotes\b"),
)

CUES = (
    USE_WITH,
    USE_F_STRINGS,
    RETURN_EARLY,
    REMOVE_UNUSED_IMPORTS,
    SORT_IMPORTS,
    LOG,
    DELETE_PRINTS,
    CHANGE_QUOTES,
)
