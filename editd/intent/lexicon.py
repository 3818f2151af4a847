"""The lexicon of ``lexical``: the words that each kind of edit knows, and patterns of values. Standard library only."""

from __future__ import annotations

import re
import sys

from editd.intent.english import KINDS, NUMBER, PRONOUNS, SIGNS

LONGEST = 40  # tokens
DENIED = re.compile(
    r"(?:please )?(?:do not|don't|never|avoid)\b(?! (?:want|need))"
    r"|.*\b(?:order|sort)(?:ed|s|ing)?\b.*\bby (?!(?:the )?(?:alphabet|names?|modules?)\b)|.*\blog(?:ging)? (?:\w+ )?(?:in)?to an? (?:\w+ )?file\b"
    r"|.*\b(?:(?:not|never) (?:be |get )?(?:renamed?|changed?|replaced?|called|deleted?|removed?|added?)\b|instead of (?:renam|return|delet|remov|add)ing)",
    re.IGNORECASE,
)
PLAIN_NAME = re.compile(r"[a-z_$][\w$]*|\w*_\w*")
ERROR = re.compile(r"[A-Z]\w*(?:Error|Exception|Interrupt|Warning|Iteration|Exit)")
VALUE = re.compile(r"-?\d[\w.]*|None|True|False|null|nil|undefined|\[\]|\{\}|\(\)")
TYPE = re.compile(
    r"(?:int|float|str|bytes|bool|list|dict|set|tuple|object|None|complex|Any|Callable|Path|Iterable|Iterator|Sequence"
    r"|Mapping|Optional)(?:\[.*\])?"
)
LEVEL = re.compile(r"(?:logging\.)?(?:debug|info|warning|error|critical)(?:-level)?", re.IGNORECASE)
VALUES = (NUMBER, ERROR, VALUE, TYPE, LEVEL, re.compile(r"\||\d+s"))
NO_LEVEL = re.compile(
    r"\b(?:the|an|any|every|each|all) (?:error|warning)s?\b(?! (?:log|level|line|message|call))"
)
NEW_FIRST = re.compile(
    r"\b(?:instead of|in place of|rather than|over|not|where|wherever|(?:name|identifier) (?:for|of))\b|\bfrom$"
)
OLD_FIRST = re.compile(
    r"\b(?:to|into|becomes?|be|is|are|it's|says?|reads?|equal|called|named|with|by|make it|write|need|put in|as|meant)\b"
)
FOR = re.compile(r"\bfor$")


def words_of(text: str) -> frozenset[str]:
    """The words of a list as people write one."""
    return frozenset(text.split())


LEVELS = words_of("debug info warning error critical")
MODULES = sys.stdlib_module_names | words_of(
    "numpy pandas requests torch flask django pytest yaml scipy sklearn attr attrs click"
)

# What may stand in any request and changes none.
SAYS_NOTHING = words_of(
    """
    a an the this that these those its it it's they them there here i i'd i'll i've i'm we we'd we've we're you you'd your
    my our me us let lets let's please thanks thank hey hi hello ok okay well so just now really also then right kindly can
    could would will shall should must may might ought need needs needed want wants wanted like love wish be is are was were
    been being am do does did done have has had having get gets got go goes going make makes made making to of in into on
    onto at for with by as out up off around across through inside within along and or all every each any whole entire
    entirely complete completely everything everywhere throughout whatever which who whoever when whenever wherever
    file code module function functions method methods procedure routine func def class body project script mind sure
    able supposed useful nice great good appropriate proper short brief quick simple little bit some one ones thing things
    start beginning top care
    """
)
ARTICLES = words_of("a an the its this that value number text string literal name")
ALSO_NAMES = words_of(
    "run start call get set read write load open close enter update handle format match output filter show import wrap add"
)
BEFORE_A_VERB = words_of("to of in for on when whenever inside from around")
BEFORE_A_NAME = words_of(
    """
    to of in for on when whenever inside from around have let make that what document explain describe wrap guard surround
    log mark annotate type give onto into rename named called call not against import as over is by drop
    remove delete kill throw lose dropping change swap switch turn replace correct set put raise lower increase reduce bump
    adjust tweak assign than between get include pull bring grab load need needs missing includes us until start protect
    enters entering be becomes become it where wherever go read say says misspelled spelled try identifier name constant
    variable value number from-import can may
    """
)
AFTER_A_NAME = words_of(
    """
    is was are has needs need should must may might ought gets get runs run does lacks gives returns return takes takes called
    calls in from to instead rather
    """
)
# What other kinds of edits are about.
NO_NAMES = (
    SIGNS
    | PRONOUNS
    | KINDS
    | words_of(
        """
    comment comments uncomment commented print prints print() console.log printing import imports include includes
    docstring docstrings log logs logging logger try except exception hint hints annotation annotations type types unused
    sorted sort order with open context manager quotes quote double single early rename return returns loop loops test tests
    strings statements
    """
    )
)

DELETE = words_of(
    """
    delete deleted deleting remove removed removing rm drop dropped dropping erase erased strip stripped stripping kill
    killed rid purge purged cut scrub clean cleaned cleanup wipe wiped eliminate eliminated ditch ditched nuke zap gone
    throw thrown toss tossed trash take taken lose clear cleared discard discarded scrap pull pulled rip filter prune pruned
    disappear vanish silence away
    """
)
ADD = words_of(
    """
    add adds added adding insert inserted put write writes written writing create give gives given provide supply include
    included stick attach set append place generate say says carry come comes use using missing lack lacks lacking without
    no not yet fix
    """
)
HAS, WRITE = words_of("has have"), words_of("add put write give insert attach stick set say")
FIX, LACKING = words_of("fix"), words_of("undocumented missing lacks lacking without no")
RETURN = words_of("return returns returning returned give gives giving result back")
TRY = words_of(
    "try try/except try-except try/catch except exception exceptions errors catching guard"
)
RENAME = words_of(
    "rename renamed renaming identifier misspelled misspelling spelled spelling misnomer"
)
NAMING = RENAME | words_of("name named called call known")
FILES, OF_NAMES = (
    words_of("file project script column key option flag"),
    KINDS | words_of("name named identifier"),
)
OF_TEXT = words_of(
    "literal text texts string strings message wording word words value number numbers"
)
CHANGE = words_of(
    """
    change changing changed swap switch turn turning update correct replace replacing exchange substitute fix use write put
    set assign go show see say says read reads become becomes instead rather than place over supposed equal hold
    raise lower increase decrease reduce bump adjust tweak try keep shows shown
    """
)
# What is said of the old one, or of what it is.
JUDGED = OF_TEXT | words_of(
    """
    typo wrong outdated bad confusing unclear ugly meant agreed convention today currently of not from where over better
    clearer too small big large low high long hard-coded magic user users uses including constant variable attribute
    parameter argument property field
    """
)
TRADE = words_of("swap exchange trade change")
# Who finds fault with a file, and how that is told.
LINTERS = words_of(
    """
    ruff flake8 pylint pyflakes isort eslint tslint linter linters lint linting ide pycharm intellij vscode editor clippy
    compiler tsc ts typescript javac gofmt rustc sonar codacy ci complains complain complaining complained warns warn warning
    warnings reports report reported flags flagged nags whines says say tells error errors finding findings issue issues
    about that per according rule rules
    """
)
UNUSED_CODES = words_of(
    "f401 w0611 ts6133 no-unused-vars unused-import unused-imports unused_imports unused-imports/no-unused-imports"
)
ORDER_CODES = words_of(
    "i001 c0411 c0413 import/order sort-imports simple-import-sort wrong-import-order"
)
LANGUAGES = words_of("python py java javascript js typescript ts tsx go golang rust c cpp c++ node")
MISSPELLED = words_of("misspelled spelled")
