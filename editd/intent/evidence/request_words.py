"""The words around what a request asks for: those that say nothing, and those that ask for more or narrow it. Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence.cue import pattern

NO_SETTINGS = FUNCTION_WORDS | frozenset(
    """
    please pls plz kindly set change make give go get put use need needs want wants like think guess believe know see try take leave have has
    raise lower increase decrease reduce bump cut up down switch turn adjust configure update extend shorten grow shrink double
    enough plenty fine ok okay good better best nicer great sufficient suffice suffices will won't can't cannot doesn't isn't
    too very much many more less few little bit only just already again still soon really quite rather pretty simply almost
    now today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february march april june july august
    september october november december week month year days weeks term season release version day time times once always never ever then
    value values setting settings constant constants variable variables option options parameter default defaults number config configuration
    current currently present previous old new another other same so that this these those it its they them there here from on off of
    should must would could may might shall ought has have had be is are was were been being do does did done
    i we you us our my your he she somebody everybody people users user customers customer team
    instead because since until though although while as well longer shorter bigger smaller larger higher faster slower wider
    colour color colours colors rate drops drop rises rise went
    out away over back show shows hold holds allow allows accept stay stays often through via possible repo repository project codebase newer older needed required
    percent average looks look seems seem feels feel open opens cost costs sit sits run runs weigh lie lies come comes reach reaches lasts last moved move stage stages place places file files
    say says said called stands should've let let's keep reads read becomes become moved goes lives live start starts begin begins
    initial initially starting begins beginning someone somebody anyone anybody everyone count counts counted considered regarded treated
    takes forever works work exactly about around roughly approximately maybe perhaps e.g. thing things
    """.split()  # noqa: SIM905
)
"""Words that name nothing in a request for a value."""

_MORE = pattern(
    r"""\b(?:except|excepting|excluding|unless|whether|other_than|apart_from|besides|otherwise|alternatively|configurable|not_in|not_the|but_(?:not|keep|leave|only)|neither|either|or_whatever
    |if(?!_possible|_you_)|(?:when|where|once)_(?:the|a|an|it|there|we|you|i|they|unset|missing|none|nothing|set|given)|if_unset|only_(?:in|for|the|those|there|this|where|when|if)|for_\S+_only|just_(?:in|for|the_one)
    |in_(?:the_)?(?:production|prod|staging|dev|development|tests?|testing|ci)|leave_(?:the|it|that|them|others?|all)|keep_(?:the_(?:old|other|rest|public|attribute|parameter)|both|it_as)|don't_touch|do_not_touch|as_well|in_addition|additionally|some_of|one_of|first_one|second_one|last_one|either_of)\b"""
)
_SECOND = pattern(
    r"""(?:\b(?:and|then|also|plus)\b|[,;.:])_(?:please_|then_|also_|and_)*(?:remove|delete|drop|add|insert|sort|wrap|extract|move|document|log|print|raise_an?|throw|catch|validate|check|test|refactor|split|inline|import|introduce|create|generate|implement|return|comment|uncomment|format)_(?!it\b)\w"""
)
_POLITE = re.compile(r"^\W*(?:hi|hey|hello|please|could|can|would|will|may|might)\b", re.IGNORECASE)


def asks_more(text: str) -> bool:
    """Whether a request is narrowed ("except", "only in"), asks for a second edit ("and remove …"), or is a question that is no
    polite request.
    """
    is_question = "?" in text and not _POLITE.search(text) and not re.search(r"\? ?\w", text)
    return is_question or _MORE.search(text) is not None or _SECOND.search(text) is not None
