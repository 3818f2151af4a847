"""Row templates: sentence patterns that several rules share, with the words for what they are about filled in.

``dialect`` says how a row is written.
"""

from __future__ import annotations

FUNCTION = "(the|this)? KIND? NAME KIND?"
ALL = "EVERY? THE?"
IMPORTS = (
    f"{ALL} (imports?|import (statements?|lines?|block|section|list)|#?includes?|#?include (directives?|lines?|statements?)"
    "|use (statements|declarations))"
)
OF_THE = "(the|of the|those|these|of those|of these)"
LINES_WITH = "lines? (with|containing|mentioning|including|(that|which) (contains?|mentions?|includes?|has|have))"


def deleting(what: str) -> tuple[str, ...]:
    """Rows that ask that ``what`` go, in the words that the embedded model was trained on."""
    return (
        f"DELETE (out)? {what} (in (it|them))? WHERE?",
        f"(i|we) (don't|do not) (want|need|use) {what} ANYMORE? WHERE?, (so)? (DELETE (it|them))?",
        f"(i want|make) (this|it) (file|code)? without {what}",
        f"(this|the) (file|code) needs no {what}, (DELETE them)?",
        f"{what} (is|are|was|were) UNWANTED, (so)? DELETE (it|them)",
        f"nobody (calls|uses|needs) {what}, (so)? (DELETE (it|them)|take it away)",
        f"{what} (should|must|can|has to|have to|is to|are to) (be (deleted|removed|dropped|erased)|disappear|go (away)?) WHERE?",
        f"there (should|must) be no {what} WHERE?",
        f"(leave out|no more) {what} WHERE?",
        f"(we|i) can do without {what}",
    )


def deleting_too(what: str) -> tuple[str, ...]:
    """Rows that ask that ``what`` go, in other words."""
    away = "(please)? (DELETE (it|them|those)? (all)? (out|away)?|throw (it|them) (away|out)|(it|they) (can|should) go)"
    return (
        f"(DELETE|pull|throw|rip|get|kick) {what} (out|away|off)",
        (
            f"{what} (should|must|can|could|may|need to|needs to|has to|have to|ought to) "
            "(be (deleted|removed|dropped|erased|gone|stripped|taken out)|disappear|go (away)?|leave)"
        ),
        f"no (more)? {what} ANYMORE?",
        f"(can|could|may|shall) {what} be (deleted|removed|dropped|taken out)",
        f"(i|we) (don't|do not) (want|need|use) {what} (in LEAD|ANYMORE), (so)? {away}",
        f"{what} (is|are) never (used|called|needed)( ANYMORE)?, (so)? {away}",
        f"{what} (isn't|aren't|is not|are not|is|are) (used|needed|wanted|called|UNWANTED) ANYMORE?, (so)? {away}",
        f"(i|we) (no longer|never) (need|use|want) {what}, (so)? {away}?",
        f"{what}, {away}",
        f"(i want|i'd like|we want) {what} (gone|removed|deleted|out|to go|to be (removed|deleted|gone))",
    )


def deleting_all(what: str) -> tuple[str, ...]:
    """Rows that ask that ``what`` go, of which a file has many."""
    return (
        f"{what} (out|away|removed|deleted|gone) (of (this|the) (file|code|module|script))?",
        f"(the|this|my|our) (code|file|module|script) (MODAL not|shouldn't|mustn't) (contain|have|include) {what}",
        f"(clean|clear|free|strip|clean up) (the|this|my) (file|code|module|script) (from|of) {what}",
    )


def replacing(old: str, new: str) -> tuple[str, ...]:
    """Rows that ask that ``old`` become ``new``, in the words that the embedded model was trained on."""
    return (
        f"(use|write|say|put|i want|i'd like) {new} (instead of|in place of|rather than) {old} WHERE?",
        f"(put|write|use|say) {new} (where|wherever) (it says|there is|the (text|string|number) is) {old}",
        f"(put|write) {new} for {old} WHERE?",
        f"{new} (should|must|has to) (replace|(take|stand in) (the)? place of) {old} WHERE?",
        f"(from now on)? {old} (is|reads|says) (now)? {new}",
        f"(make|let) {old} (be|read|say|an?)? {new} (from now on)?",
        f"where it says {old}, it (should|must) say {new}",
    )


def replacing_too(old: str, new: str) -> tuple[str, ...]:
    """Rows (sentence patterns) that ask that ``old`` become ``new``, with other words around both:
    ``use port 9090 instead of 8080``. old, new: the patterns of the two.
    """
    bare_old, bare_new = old, new
    old, new = f"WORDS {old} UNIT", f"WORDS {new} UNIT"
    return (
        f"(CHANGE|rewrite) {old} (in WORDS)? WORDS (up|down)? (TO|as) (be|say|read)? {new} WORDS",
        f"(CHANGE|move) LEAD from {old} (to|into|->) {new} WORDS",
        f"(CHANGE|use|return|set|say|write|put|print|show|raise|retry|WORDS (with|at|by|to))? {new} ((as|for|in) WORDS)? WORDS, INSTEAD {old} WORDS",
        f"WORDS (SHOULD|is|are) (now)? {new} (now)?, (INSTEAD|was|it was|no longer|used to be|previously) {old} WORDS",
        f"(where|wherever|everywhere|anywhere) (it says)? {old} (appears|stands|is used)?, (use|write|say|put|make it) {new}",
        f"{old} (in WORDS)? WORDS ISNOW {new} WORDS",
        f"substitute {new} for {old}",
        f"{bare_old} to {bare_new}",
        f"{bare_old} (is|isn't) (not)? (too)? WORDS ; {bare_new}",
        f"{old} (is|isn't|was|looks|sounds|has) (not)? (too)? WORDS, (so|please|it)? (SAY|ISNOW) {new}",
        f"LEAD :? {bare_new}, (instead of|in place of|rather than|not|and not|no longer) LEAD {bare_old} LEAD",
        f"LEAD {bare_new}, (so)? LEAD {bare_old} MODAL be (changed|replaced|updated|adapted|corrected)",
        f"LEAD {bare_old} UNIT, (it)? ISNOW {new} WORDS",
        f"LEAD MODAL (go|move|change|be (changed|raised|lowered|increased|reduced|set)) (up|down)? from {old} to {new}",
        f"rename (the)? STRING {bare_old} to {bare_new} WHERE?",
    )
