"""Words that a request may have without meaning more by them: small words, courtesy, opinions, verbs of change. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from editd.intent.english import FUNCTION_WORDS, KINDS, is_code_like
from editd.intent.lexicon import SAYS_NOTHING, words_of

_WORD = re.compile(r"[^\W_][\w$'’]*(?:-[^\W_][\w$'’]*)*|_\w+")

FILLER = (
    SAYS_NOTHING
    | FUNCTION_WORDS
    | KINDS
    | words_of(
        """
        hello dear cheers wich pls plz thx nit todo fixme chore refactor style cleanup fyi imo afaik colleague yes sorry
        use uses using used change changes changed changing convert converts converted switch swap turn turned rewrite rewritten redo
        modernise modernize modernised modernized fix fixed fixing clean tidy tidied bring put take become becomes became prefer prefers
        do done doing does run set write written writing say says said look looks looking read reads go goes going see seen give
        instead rather everywhere anywhere throughout yet anyway already always never again still even though properly correctly nicely
        better best nicer cleaner shorter clearer simpler easier safer faster good nice proper idiomatic modern newer ugly old older
        older legacy ancient outdated clumsy messy horrible awful terrible hard annoying hand manual manually explicit explicitly by-hand
        way ways style styles kind sort-of line lines place places spot spots part parts case cases bit stuff thing whole
        job work works project repo repository codebase module script rest team tool tools program app convention conventions standard rule rules
        time times today now straight directly both two three four five six top bottom end beginning start
        about thus hence therefore css yaml toml json python typescript javascript js ts go golang rust java shell bash sql markdown
        too much many possible necessary needed happy glad ask suggest suggestion think believe guess feel please kindly ourselves myself yourself
        """
    )
)


_PACKAGE = re.compile(r"(?<![\w.])(?:[a-z]\w*\.)+(?=[A-Z]\w*\b(?!\.))")  # of java.util.Map
_FILE_NAME = re.compile(
    r"(?<![\w.])[\w/-]+\.(?:py|rs|ts|tsx|js|jsx|go|java|c|h|cs|sh|yml|yaml|json|toml|css|sql|md)\b"
)


def content_words(text: str, names: Collection[str] = ()) -> Iterator[str]:
    """Yield the words of a text that are no filler, as they are written, and those that are among ``names`` in the spelling of code
    (``APP``, ``Read``).
    """
    for found in _WORD.findall(_PACKAGE.sub("", _FILE_NAME.sub(" ", text))):
        word = found.replace("’", "'").rstrip("'")
        if word.lower() not in FILLER or (word in names and is_code_like(word)):
            yield word
