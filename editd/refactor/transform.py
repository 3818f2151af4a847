"""Intent and source code to candidates: the one place that says which transformation does what.

Each transformation is a file of its own, for all its languages. Conditions that all share stand here: that the buffer
has what the words name, that a change stays in the definition that is named. ``readings`` chooses the intent.
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.diff.matching import changes
from editd.intent import Parsed, intents
from editd.intent.english import is_code_like
from editd.intent.evidence.counting import count_of
from editd.refactor.add_argument import add_argument
from editd.refactor.add_docstring import add_docstring
from editd.refactor.add_entry import add_entry
from editd.refactor.add_field import add_field
from editd.refactor.add_guard import add_guard
from editd.refactor.add_import import add_import
from editd.refactor.add_import_line import add_import_line
from editd.refactor.add_modifier import add_modifier
from editd.refactor.add_parameter import add_parameter
from editd.refactor.add_to_import import add_to_import
from editd.refactor.add_type_hint import add_type_hint
from editd.refactor.add_type_hints import add_type_hints
from editd.refactor.candidates import Candidates, Mentions, on_earlier_lines
from editd.refactor.change_elements import change_elements
from editd.refactor.change_quotes import change_quotes
from editd.refactor.change_table import add_index, constrain_column
from editd.refactor.comment_out import comment_out
from editd.refactor.comment_out_code import comment_out_code
from editd.refactor.delete_code import delete_code
from editd.refactor.delete_commented_code import delete_commented_code
from editd.refactor.delete_comments import delete_comments
from editd.refactor.delete_definition import delete_definition
from editd.refactor.delete_docstrings import delete_docstrings
from editd.refactor.delete_lines import delete_lines
from editd.refactor.delete_prints import delete_prints
from editd.refactor.described_places import at_described_places, spared_places
from editd.refactor.edit_target import edit_target
from editd.refactor.exchange_text import exchange_text
from editd.refactor.extract_constant import extract_constant
from editd.refactor.import_name import import_name
from editd.refactor.insert_line import insert_line
from editd.refactor.insert_statement import insert_statement
from editd.refactor.introduce_parameter import introduce_parameter
from editd.refactor.locations import full_name, only_within
from editd.refactor.make_configurable import make_configurable
from editd.refactor.namesakes import limited_to_class_at
from editd.refactor.place_import import place_import
from editd.refactor.prints_to_logging import prints_to_logging
from editd.refactor.read_from_environment import read_from_environment
from editd.refactor.remove_unused_imports import bound_names, remove_unused_imports
from editd.refactor.rename import rename
from editd.refactor.rename_selector import rename_selector
from editd.refactor.replace_call import replace_call
from editd.refactor.replace_number import replace_number
from editd.refactor.replace_part import replace_part
from editd.refactor.replace_text import replace_text
from editd.refactor.replace_token import replace_token
from editd.refactor.replace_typed import replace_typed
from editd.refactor.replace_var import replace_var
from editd.refactor.replace_word import replace_word
from editd.refactor.return_early import return_early
from editd.refactor.set_by_words import set_by_words
from editd.refactor.set_described import set_described
from editd.refactor.set_setting import set_setting
from editd.refactor.set_value import set_value
from editd.refactor.sort_functions import sort_functions
from editd.refactor.sort_imports import sort_imports
from editd.refactor.use_f_strings import use_f_strings
from editd.refactor.use_strict_equality import use_strict_equality
from editd.refactor.use_template_literals import use_template_literals
from editd.refactor.use_try_with_resources import use_try_with_resources
from editd.refactor.use_with_open import use_with_open
from editd.refactor.wrap_try import wrap_try
from editd.syntax.code import Code, read_code
from editd.syntax.handlers import is_for_handler
from editd.syntax.places import place_of

_GONE = re.compile(
    r"(?:->|=>|→) ?(?:delete|remove|drop|gone|bye|out|kill|trash)\b(?! (?:instead|please rename))",
    re.IGNORECASE,
)  # "sleep() → delete" names no name
_ONE_LINE = re.compile(r"\b(?:the|this|that)(?: \S+)? line\b(?! of)", re.IGNORECASE)
# "the print in load": which of several it is, words do not say
_ONE_PRINT = re.compile(
    r"\b(?:the|this|that|a|an) (?:[a-z'\"-]+ )?(?:print|println!?|printf|console\.log|comment)(?:\(\))?(?: (?:call|statement|line|message))?\b"
    r"(?!s|(?:\(\))?[- ]?(?:calls|statements|lines|messages|outputs?|debugging|blocks?)\b|!s|\(s)"
    r"|^(?:debug(?:ging)?|leftover|stray) print\b"
    r"|\b(?:print|println!?|printf|console\.log)\([\w\"'][^()]*\)",
    re.IGNORECASE,
)
_PRINT = r"print|println!?|printf|console\.log|echo"
_STRING = r"string|message|print|text|place|concatenation|call|line"
_IMPORT = r"import|require|use|include|`use`"
# a single import is spoken of: "one of the imports"
_ONE_IMPORT = re.compile(
    r"\b(?:an|one|one of the|a single) (?:\w+ )?(?:imports?|requires?|includes?|usings?|use (?:line|statement|declaration)s?)\b|\bthe unused import\b(?! (?:statements|lines))",
    re.IGNORECASE,
)
_BECOMES = re.compile(
    r"\b(?:should|must|has to|is|are) (?:now )?(?:be )?(?!(?:re)?named|called)", re.IGNORECASE
)
_ARROW = re.compile(r"->|→|⇒|=>")
UNIT = re.compile(r"\d ?([a-z]+)\b", re.IGNORECASE)
TIMES = {
    "ms": "ms", "millis": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "min",
    "mins": "min", "minute": "min", "minutes": "min", "h": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
}  # fmt: skip
_CITED_PRINT = re.compile(r"\b(?:print|println!?|printf|console\.log)\(\w[^()]*\)")
_A_PRINT = re.compile(r"\bprint\w*!?\s*\(|\bconsole\.\w+\(", re.IGNORECASE)
_LOG_CALL = re.compile(r"\b(?:\w+\.){2,}(?:debug|info|warning|warn|error)\b")
_OF_DECORATOR = re.compile(
    r"\b(?:remove|delete|drop|strip|take(?: away| off)?) (?:the |that |its )?@\w+(?! (?:method|function|class)\b)",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"(?:^|[,:;] )(?:please )?(?:return|raise|abort with|exit with)\b", re.IGNORECASE
)
_AT_RETURNS = re.compile(r"\bbefore (?:\S+ ){0,4}?return", re.IGNORECASE)
_ASKING_THEMSELVES = (
    intents.AddGuard,
    intents.InsertStatement,
    intents.Rename,
    intents.ReturnEarly,
    intents.SetValue,
    intents.WrapTry,
)
# "The docstring of f should be …" may mean another one than it has.
_WITH_NEW_TEXT = (
    intents.ExchangeText,
    intents.ReplaceText,
    intents.ReplaceWord,
    intents.SetByWords,
    intents.SetDescribed,
    intents.SetSetting,
)
_LACKS_DOCSTRING = re.compile(
    r"\b(?:no|without an?|missing|needs?|wants?|lacks?|deserves?)(?: \w+){0,2} (?:docstring|doc comment|\w+doc)\b|\b(?:docstring|doc comment|\w+doc) is missing\b",
    re.IGNORECASE,
)
_REPLACES_DOCSTRING = re.compile(
    r"\b(?:should|must) (?:be|read|say)\b|\bbe the docstring|\bas the docstring|^\s*(?:please )?(?:set|change|update|replace)\b",
    re.IGNORECASE,
)


def located(
    intent: intents.Intent,
    parsed: Parsed,
    code: Code,
    path: str,
    selected: tuple[int, int] | None,
    location: str = "",
    cursor: int | None = None,
    *,
    chooses: bool = False,
) -> Candidates | None:
    """The candidates for ``intent``, limited to its location, or to ``location`` if it has none; a rename of
    ``self.x``, which several classes have, to the class around the line ``cursor``.

    A location in code's spelling that the text does not mention gives the text itself, with ``missing_name``; one that
    several definitions have, or ``self.x`` without such a class, a ``problem``. ``None`` where the transformation
    leaves it to a model or is for Python alone, a change crosses the location's border, the words speak of one print,
    comment or import and several would go, or of one string and other than one line changes, unless ``chooses``: then the caller
    chooses among them.
    """
    text, language = code.text, code.language
    if isinstance(intent, intents.PythonOnly) and language != "python":
        return None
    if isinstance(intent, intents.Located) and (intent.location or location):
        is_name = is_code_like(intent.location) and not is_for_handler(intent.location)
        if is_name and not _is_mentioned(intent.location, text):
            return Candidates((text,), is_certain=True, missing_name=intent.location)
        name, problem = full_name(intent.location or location, code, selected)
        if problem:
            return Candidates((text,), problem=problem)
        intent = replace(intent, location=name)
    if isinstance(intent, intents.Rename) and _GONE.search(parsed.text):
        return None
    if isinstance(intent, intents.Rename):
        intent, problem = limited_to_class_at(intent, cursor, code)
        if problem:
            return Candidates((text,), problem=problem)
    if _is_text_of_another(intent, parsed.text):
        return None
    found = _transformed(intent, parsed, code, path, selected, cursor)
    if found is not None and _does_other_than_named(intent, parsed.text, found, code):
        return None
    # A location decides what is renamed and which value is set, and a return where, so those ask it themselves.
    asks_itself = isinstance(intent, _ASKING_THEMSELVES)
    if isinstance(intent, intents.Located) and intent.location and not asks_itself:
        where = place_of(intent.location, text, language)
        found = only_within(where, found, code) if where and found else None
    if found is None or (not chooses and _takes_another_number(intent, parsed.text, found, code)):
        return None
    is_of_one = (
        isinstance(intent, intents.UseFStrings | intents.UseTemplateLiterals) and intent.is_of_one
    )
    return None if is_of_one and _changed_lines(found, code) != 1 else found


def _is_text_of_another(intent: intents.Intent, instruction: str) -> bool:
    """Whether the text that is to stand somewhere is a docstring's ("it has no docstring, it should read 'Reads it.'"), or stands in a print or
    log call that the words cite: "at the top: log("ready")".
    """
    if isinstance(intent, _WITH_NEW_TEXT) and _LACKS_DOCSTRING.search(instruction):
        return True
    if not isinstance(intent, intents.SetDescribed | intents.SetByWords) or not intent.is_quoted:
        return False
    cited = rf"\b(?:print\w*!?|console\.\w+|\w*log\w*(?:\.\w+)?!?|fmt\.\w+)\([`'\"]{re.escape(intent.new)}"
    return re.search(cited, instruction, re.IGNORECASE) is not None


def _does_other_than_named(
    intent: intents.Intent, instruction: str, found: Candidates, code: Code
) -> bool:
    """Whether prints become calls other than the one that the words name ("app.logger.info"), or a definition goes where
    they name its decorator ("remove the @Deprecated from it").
    """
    new = found.texts[0]
    if isinstance(intent, intents.SomePlaces):
        intent = intent.intent
    if isinstance(intent, intents.PrintsToLogging):
        named = _LOG_CALL.findall(instruction)
        return bool(named) and all(new.count(f"{x}(") <= code.text.count(f"{x}(") for x in named)
    if isinstance(intent, intents.EditTarget | intents.DeleteDefinition):
        is_less = len(read_code(new, code.language).definitions) < len(code.definitions)
        return is_less and _OF_DECORATOR.search(instruction) is not None
    return False


def _changed_lines(found: Candidates, code: Code) -> int:
    """The number of lines that the first candidate changes."""
    changed = changes(code.text.splitlines(), found.texts[0].splitlines())
    return sum(change.old_end - change.old_start for change in changed)


def _is_type_of_result(intent: intents.Rename, code: Code) -> bool:
    """Whether a rename of a function to a class that the text knows may be the type of its result: "total -> Decimal"."""
    is_function = any(x.is_block and x.name == intent.old for x in code.definitions)
    is_class = intent.new in code.names and re.match(r"[A-Z]\w*[a-z]", intent.new) is not None
    return is_function and is_class and not intent.old[:1].isupper()


def _may_be_set(parsed: Parsed, code: Code) -> bool:
    """Whether the words may give a setting of the text another value."""
    guesses = (guess for guess in parsed.guesses if isinstance(guess, intents.SetSetting))
    return any(set_setting(guess, code) is not None for guess in guesses)


def _has_another_unit(name: str, unit: str) -> bool:
    """Whether a name ends in a unit of time other than ``unit``: ``TIMEOUT_MS`` and "seconds"."""
    last = re.split(r"_|(?<=[a-z])(?=[A-Z])", name)[-1].lower()
    return last in TIMES and TIMES[last] != TIMES.get(unit.lower())


def _takes_another_number(
    intent: intents.Intent, instruction: str, found: Candidates, code: Code
) -> bool:
    """Whether the words speak of one print, comment or import and the first candidate lacks more than one, or they say another
    number of prints, formatted strings or imports than it changes, or cite a print that the text does not have. What is counted is calls that print, blocks of comments, lines with
    strings, and lines or names of unused imports. ``False`` for other intents.
    """
    new = found.texts[0]
    match intent:
        case intents.DeletePrints():
            taken = len(_A_PRINT.findall(code.text)) - len(_A_PRINT.findall(new))
            if any(cited not in code.text for cited in _CITED_PRINT.findall(instruction)):
                return True  # another one is meant
            stated = count_of(_PRINT, instruction)
            return taken not in (0, stated or taken) or (
                bool(_ONE_PRINT.search(instruction)) and taken > 1
            )
        case intents.DeleteComments():
            blocks = len(changes(code.text.splitlines(), new.splitlines()))
            return bool(_ONE_PRINT.search(instruction)) and blocks > 1
        case (
            intents.UseFStrings()
            | intents.UseTemplateLiterals()
            | intents.SomePlaces(intents.UseFStrings() | intents.UseTemplateLiterals())
        ):
            stated = count_of(_STRING, instruction)
            return stated not in (0, _changed_lines(found, code))
        case intents.RemoveUnusedImports():
            lines = len(code.lines) - new.count("\n") - (not new.endswith("\n"))
            names = len(bound_names(code)) - len(bound_names(read_code(new, code.language)))
            stated = count_of(_IMPORT, instruction)
            is_one = bool(_ONE_IMPORT.search(instruction)) and not intent.names
            return bool(names) and (
                (stated != 0 and stated not in (lines, names)) or (is_one and lines > 1)
            )
    return False


def _transformed(
    intent: intents.Intent,
    parsed: Parsed,
    code: Code,
    path: str,
    selected: tuple[int, int] | None,
    cursor: int | None = None,
) -> Candidates | None:
    """The candidates of the one transformation for ``intent``; of several edits the certain text that all make.
    ``None`` where it leaves the edit to a model, or none does such an intent; also for a rename that may give a setting
    a value instead, and a value in another unit of time than the name's. Names to add to an import that is not there
    become a new one, if it is a single name and the words are about imports.

    selected: lines for "this". cursor: the line by which one of several things of a name is chosen.
    """
    match intent:
        case intents.Several():
            return _of_several(intent, parsed, code, path)
        case intents.SomePlaces():
            found = located(intent.intent, parsed, code, path, None, chooses=True)
            if found is None or not _are_there(intent, parsed, code, path):
                return None
            return at_described_places(intent, found, code)
        case intents.PlacedImport():
            found = located(intent.intent, parsed, code, path, None)
            return None if found is None else place_import(intent.place, found, code)
        case intents.Rename():
            if re.search(
                rf"\bname\b[^,;]* in `?{re.escape(intent.old)}\b[^,;]*, call it", parsed.text
            ):
                return None  # "off is a bad name in list, call it offset"
            if _BECOMES.search(parsed.text) and _may_be_set(parsed, code):
                return None
            if _ARROW.search(parsed.text) and _is_type_of_result(intent, code):
                return None
            return rename(intent, parsed, code, cursor=cursor, selected=selected)
        case intents.ReplaceText():
            return replace_text(intent, code)
        case intents.ReplaceNumber():
            is_of_one = intent.is_of_one or _RETURNED.search(parsed.text) is not None
            return replace_number(replace(intent, is_of_one=is_of_one), code)
        case intents.ReplaceCall():
            return replace_call(intent, code)
        case intents.ReplaceWord():
            return replace_word(intent, code)
        case intents.SetValue():
            unit = UNIT.search(parsed.text)
            if unit and _has_another_unit(intent.name, unit[1]):
                return None
            found = set_value(intent, code)
            return found or set_value(replace(intent, accepts_any_kind=True), code)
        case intents.DeleteLines():
            return delete_lines(intent.text, code, is_single=bool(_ONE_LINE.search(parsed.text)))
        case intents.DeleteDefinition():
            return delete_definition(intent, code)
        case intents.DeletePrints():
            return delete_prints(intent, parsed.text, code)
        case intents.DeleteComments(is_code=True) if (
            intents.DeleteCommentedCode() in parsed.guesses
        ):
            return delete_commented_code(code)
        case intents.DeleteComments():
            return delete_comments(intent, code)
        case intents.DeleteDocstrings():
            return delete_docstrings(intent.name, code)
        case intents.AddImport():
            source = (
                rf"(?<!\w){re.escape(intent.module)}\W? (?:(?:comes|is|lives) )?(?:from|out of) "
            )
            if not intent.item and re.search(source, parsed.text):
                return None  # a name of a module
            whole = intents.AddToImport(intent.module, (intent.item,)) if intent.item else None
            return (add_to_import(whole, code) if whole else None) or add_import(intent, code)
        case intents.AddDocstring():
            may_replace = _REPLACES_DOCSTRING.search(parsed.text) is not None
            return add_docstring(intent, code, may_replace=may_replace)
        case intents.AddTypeHint():
            return add_type_hint(intent, code)
        case intents.AddParameter():
            return add_parameter(intent, code)
        case intents.WrapTry():
            return wrap_try(intent, code)
        case intents.InsertStatement():
            is_at_returns = _AT_RETURNS.search(parsed.text) is not None
            return insert_statement(intent, code, is_at_returns=is_at_returns)
        case intents.SortImports():
            return sort_imports(intent, code, path)
        case intents.SortFunctions():
            return sort_functions(intent, code)
        case intents.RemoveUnusedImports():
            return remove_unused_imports(intent, code, path)
        case intents.ChangeQuotes():
            return change_quotes(intent, code)
        case intents.UseFStrings():
            return use_f_strings(intent, code) if code.language == "python" else None
        case intents.UseTemplateLiterals():
            return use_template_literals(code)
        case intents.UseWithOpen():
            if code.language == "java":
                return None if intent.name else use_try_with_resources(code)
            return use_with_open(intent, code) if code.language == "python" else None
        case intents.PrintsToLogging():
            return prints_to_logging(intent, code)
        case intents.CommentOut():
            return comment_out(intent, code, selected)
        case intents.AddGuard():
            return add_guard(intent, code)
        case intents.InsertLine():
            return insert_line(intent, code, path)
        case intents.AddArgument():
            return add_argument(intent, code)
        case intents.ReadFromEnvironment():
            return read_from_environment(intent, code)
        case intents.ExtractConstant():
            return extract_constant(intent, code)
        case intents.AddEntry():
            return add_entry(intent, code)
        case intents.AddIndex():
            return add_index(intent, code)
        case intents.ConstrainColumn():
            return constrain_column(intent, code)
        case intents.AddField():
            return add_field(intent, code)
        case intents.ReplaceTyped():
            return replace_typed(intent, code)
        case intents.DeleteCommentedCode():
            return delete_commented_code(code)
        case intents.ReplaceVar():
            return replace_var(intent, code)
        case intents.UseStrictEquality():
            return use_strict_equality(code)
        case intents.AddModifier():
            return add_modifier(intent, code)
        case intents.MakeConfigurable():
            return make_configurable(intent, code)
        case intents.ChangeElements():
            return change_elements(intent, code)
        case intents.DeleteCode():
            return delete_code(intent, code)
        case intents.EditTarget():
            return edit_target(intent, code)
        case intents.CommentOutCode():
            return comment_out_code(intent, code)
        case intents.AddTypeHints():
            return add_type_hints(intent, code)
        case intents.IntroduceParameter():
            return introduce_parameter(intent, code)
        case intents.AddImportLine():
            return add_import_line(intent, code)
        case intents.ImportName():
            return import_name(intent, code)
        case intents.AddToImport():
            if found := add_to_import(intent, code):
                return found
            single = intents.AddImport(intent.module, intent.items[0])
            is_new = len(intent.items) == 1 and parsed.is_about_imports
            return add_import(single, code) if is_new else None
        case intents.ReplaceToken():
            return replace_token(intent, code)
        case intents.SetSetting():
            return set_setting(intent, code)
        case intents.SetDescribed():
            return set_described(intent, code)
        case intents.ExchangeText():
            return exchange_text(intent, code, path)
        case intents.RenameSelector():
            return rename_selector(intent, code)
        case intents.ReplacePart():
            return replace_part(intent, code)
        case intents.SetByWords():
            return set_by_words(intent, code, path)
        case intents.ReturnEarly():
            return return_early(intent, code)
    return None


def _are_there(intent: intents.SomePlaces, parsed: Parsed, code: Code, path: str) -> bool:
    """Whether there is each of the things that are said to stay, in the whole text."""
    inner = intent.intent
    if not isinstance(inner, intents.Located) or not inner.location or not intent.spared:
        return True
    anywhere = located(replace(inner, location=""), parsed, code, path, None, chooses=True)
    return anywhere is not None and spared_places(intent, anywhere, code) is not None


def _of_several(
    several: intents.Several, parsed: Parsed, code: Code, path: str
) -> Candidates | None:
    """The text that all edits make, one after the other, as a certain candidate, with what each
    leaves alone or assumes, on lines of the first text; ``None`` if one is not certain, has a
    problem, or changes nothing.
    """
    before = code.text
    left_alone: Mentions = ()
    assumptions: Mentions = ()
    for intent in several.intents:
        found = located(intent, parsed, code, path, None)
        if found is None or not found.is_certain or found.problem or found.texts[0] == code.text:
            return None
        left_alone += on_earlier_lines(found.left_alone, code.text, before)
        assumptions += on_earlier_lines(found.assumptions, code.text, before)
        code = read_code(found.texts[0], code.language)
    return Candidates((code.text,), is_certain=True, left_alone=left_alone, assumptions=assumptions)


def _is_mentioned(location: str, text: str) -> bool:
    """Whether the text has each part of "Cart.add", in whatever case."""
    parts = re.findall(r"\w+", location)
    return all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE) for part in parts)
