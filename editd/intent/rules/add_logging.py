"""Add a log call to a function: how people ask for it. What is logged, a model writes."""

from __future__ import annotations

from editd.intent.intents import Open
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import FUNCTION

ADD_LOGGING = Rule(
    "add-logging",
    canonical=(
        (
            "ADD (an?)? (logging|log|LOGCALL) LEVEL? (call|message|statement|line)? "
            "(to|in|into|at the (start|top|beginning) of) KIND? NAME"
        ),
        "ADD logging (to|in) KIND? NAME",
        "log ((at|with) level LEVEL|an? LEVEL message)? when KIND? NAME is called",
        "log (every|all)? calls? (to|of) KIND? NAME ((at|with) level LEVEL)?",
        "KIND? NAME should log (its calls|when it is called|(at|with) level LEVEL|an? LEVEL message)?",
        "KIND? NAME needs an? (log|logging) (call|message|statement|line)",
        "i want to (see|know) in the log when KIND? NAME is called",
        "make KIND? NAME log (at level LEVEL)? when it is called",
        "each call to KIND? NAME (has to|should|must) be logged (at level LEVEL)?",
        "let KIND? NAME write a log message",
    ),
    paraphrases=(
        f"(WRITE|emit) (LOG|(some|debug|LEVEL)? logging|an? LOGCALL (call)?) (at|to|in|into|for|inside|at the (start|top|beginning|entry) of) {FUNCTION}",
        f"log (a message|something|it|an entry)? (when|whenever|every time|each time|as soon as) {FUNCTION} (is called|gets called|runs|starts|is entered|is invoked|is executed)",
        f"(WRITE|emit) LOG (when|whenever|every time|each time) {FUNCTION} (is called|gets called|runs|starts|is entered)",
        f"log (the|every|each|all)? (calls?|invocations?|entry|entering) (to|of|into)? {FUNCTION}",
        f"(the|every|each|all)? (calls?|invocations?) (to|of) {FUNCTION} (should|must|has to|have to) be logged",
        f"{FUNCTION} needs (LOG|logging)",
        f"(i want|i'd like|make|let|have) {FUNCTION} (to)? (log|write) (a log message|a message|its calls|each call|something)? (when it's called|when it is called|when called)?",
        f"(the|every|each|all)? (calls?|invocations?) (to|of) {FUNCTION} MODAL (appear|show up|show|be|be recorded|be seen) in (the|a) (log|logs|logfile)",
        f"(make|let|have) {FUNCTION} log (when|whenever|every time|each time|that)? (it is|it's|it was|it gets) (called|invoked|run|executed)",
        f"log (on|at|upon) (the)? (entry|start|beginning|begin|call|entering|calls) (of|to|into)? {FUNCTION}",
        f"log (when|whenever|every time|each time|that) (someone|somebody|anyone|anybody|something) (calls|invokes|runs) {FUNCTION}",
        f"{FUNCTION} MODAL log (that|when|whenever|each time|every time) (it is|it's|it was|it gets) (called|invoked|run)",
        f"(i want|i'd like|show|let me)? (to)? (see|know|read|have)? (it)? in the log (when|whenever|that|if|how often|each time) {FUNCTION} (is called|gets called|runs|starts|was called)",
        f"{FUNCTION} MODAL (write|print|report|say|emit) (something|a message|a line)? (to|in|into) (the|a) (log|logger)",
    ),
    plain="add a log call to {name}",
    is_of_one=True,
    examples=(
        ("add a log call to load", Open()),
        ("log an info message when load is called", Open()),
    ),
)
