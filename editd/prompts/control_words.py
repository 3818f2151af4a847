"""The words that model families write around their answers: thoughts, openers of the final answer, ends of turns.

The rows are data, with the families that write them, compared in any case; to add a family, add rows: a marker of
thoughts is a row of ``_THOUGHT_NAMES``, or a pair of ``_OTHER_THOUGHTS``. ``thoughts`` removes these words from an
answer while it streams, and ``checks.leftovers`` looks for those that are left in a text. ``thinks`` tells from a
model's name whether its family thinks before it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import NamedTuple

_THOUGHT_NAMES = {
    "think": "DeepSeek R1 and V3, Qwen 3, QwQ, GLM, Hunyuan, MiniMax, Nemotron, SmolLM 3, OLMo 3, Phi 4 reasoning, "
    "ERNIE, MiMo, Step, Cogito, Granite 3.3, Intern-S1; Magistral and Ministral in square brackets; Kimi in ◁▷",
    "thinking": "models taught on Claude's answers; Cohere between START_ and END_",
    "thought": "EXAONE Deep, Gemini's endpoint for OpenAI's clients, Marco; OpenThinker and Sky between begin_of_ and end_of_",
    "thoughts": "instructed models",
    "reasoning": "models of the community, Reka, LLaVA-CoT",
    "reflection": "Reflection",
    "scratchpad": "instructed models",
    "analysis": "instructed models",
    "seed:think": "Seed-OSS",
    "seed:cot_budget_reflect": "Seed-OSS, within its thoughts",
    "think:opensource": "Hunyuan",
    "antthinking": "models taught on Claude's answers",
    "inner_monologue": "models for agents",
}

_THOUGHT_SHAPES = (
    ("<{}>", "</{}>"),
    ("<|{}|>", "<|/{}|>"),
    ("<｜{}｜>", "<｜/{}｜>"),
    ("◁{}▷", "◁/{}▷"),
    ("<|start_{}|>", "<|end_{}|>"),
    ("<|begin_of_{}|>", "<|end_of_{}|>"),
    ("<|{}_start|>", "<|{}_end|>"),
    ("<|{}_begin|>", "<|{}_end|>"),
)

_BEGINNINGS = {
    "<s>": "Llama 2, Mistral",
    "<bos>": "Gemma",
    "<|begin_of_text|>": "Llama 3",
    "<|startoftext|>": "LFM, Nemotron",
    "<｜begin▁of▁sentence｜>": "DeepSeek",
    "[gmask]": "GLM",
    "<sop>": "GLM",
    "[bos]": "EXAONE",
    "]~!b[": "MiniMax",
}

_ENDS = {
    "<|im_end|>": "ChatML: Qwen, SmolLM, InternLM, Yi, Kimi, Hermes",
    "<|endoftext|>": "GPT-2's heirs: Qwen, Phi, StarCoder, GLM, Granite, gpt-oss",
    "<|eot_id|>": "Llama 3",
    "<|eom_id|>": "Llama 3",
    "<|eot|>": "Llama 4, DeepSeek Coder",
    "<|eom|>": "Llama 4",
    "<|end_of_text|>": "Llama 3, Granite",
    "<|end|>": "Phi, gpt-oss, Solar",
    "<|return|>": "gpt-oss",
    "<|call|>": "gpt-oss",
    "</s>": "Llama 2, Mistral, Magistral",
    "<eos>": "Gemma",
    "<end_of_turn>": "Gemma 1 to 3",
    "<turn|>": "Gemma 4",
    "<end_of_utterance>": "SmolVLM",
    "<｜end▁of▁sentence｜>": "DeepSeek",
    "<|end_of_sentence|>": "ERNIE",
    "<|end_of_turn_token|>": "Cohere",
    "<|endofturn|>": "EXAONE, HyperCLOVA",
    "[|endofturn|]": "EXAONE",
    "<|endofprompt|>": "OpenAI",
    "<|user|>": "GLM, Phi, Zephyr",
    "<|observation|>": "GLM",
    "<｜user｜>": "DeepSeek",
    "<|role_end|>": "Ling, Ring",
    "<seed:eos>": "Seed-OSS",
    "<extra_id_1>": "Nemotron",
    "<special_12>": "Nemotron H",
    "<|reserved_token_1|>": "Hunyuan",
    "[e~[": "MiniMax",
    "[/inst]": "Llama 2, Mistral",
    "<eod>": "Hunyuan",
    "<|eos|>": "Hunyuan",
}

_ANY_FAMILY = r"<[|｜][\w▁:/-]{1,40}[|｜]>"

# Names that elements of markup, or types in brackets, have as well: text may be full of them.
_ORDINARY = (
    "s|bos|eos|eod|thoughts?|reasoning|reflection|scratchpad|analysis|answer|response|final_answer|final|output"
    "|solution|role"
)

_THINKING_MODELS = re.compile(
    r"think|reason|\br1\b|-r1-|\bqwq|qwen-?3(?!.*(?:coder|instruct|embed))|gpt-?oss|magistral|seed-?oss|exaone-(?:deep|[4-9])|k-exaone|"
    r"glm-?(?:z1|4\.[1-9]|[5-9])|deepseek-(?:v3\.[1-9]|v[4-9]|r)|kimi-k(?:2\.[5-9]|[3-9])|minimax-m|hunyuan|\bhy-?[2-9]|"
    r"nemotron|gemma-?[4-9]|ernie-[5-9]|smollm3|mimo|step-?[3-9]|intern-s|apertus|cogito|marco-o|openthinker|sky-t|"
    r"skywork-or|nanbeige|granite-3\.[2-9]|ring-|solar-open|command-a-r|phi-4-mini-flash|qwen-?3\.[5-9]",
    re.IGNORECASE,
)

LONGEST = 80
"""Most characters of a word, with the text in the place of ``…``."""

_CHANNELS_OWN = r"[^<\n]{0,40}(?:<\|constrain\|>[^<\n]{0,20})?"


class Pair(NamedTuple):
    """The two ends of a thought or of an answer, as text; ``…`` stands for a channel's own words.

    closing: empty if an end of the turn closes it.
    """

    opening: str
    closing: str
    families: str


_OTHER_THOUGHTS = (
    Pair("[think]", "[/think]", "Magistral, Ministral"),
    Pair("[thinking]", "[/thinking]", "models of the community"),
    Pair("<|channel|>analysis", "<|channel|>final…<|message|>", "gpt-oss"),
    Pair("<|channel|>commentary", "<|channel|>final…<|message|>", "gpt-oss"),
    Pair("<|channel>thought", "<channel|>", "Gemma 4"),
    Pair("<unused94>thought", "<unused95>", "MedGemma"),
    Pair("<|inner_prefix|>", "<|inner_suffix|>", "Apertus"),
    Pair("<|think|>", "<|end|>", "Solar Open"),
    Pair("here is my thought process:", "here is my response:", "Granite 3.2"),
)
_STRIPPED_THOUGHTS = (  # by a server that takes the control tokens out and leaves their names
    Pair("analysis", "assistantfinal", "gpt-oss"),
    Pair("assistantanalysis", "assistantfinal", "gpt-oss"),
)
_ANSWERS = (
    Pair("<answer>", "</answer>", "Hunyuan, GLM 4.1V, models trained by rewards for a format"),
    Pair("<answer:opensource>", "</answer:opensource>", "Hunyuan"),
    Pair("<response>", "</response>", "Granite 3.3, ERNIE"),
    Pair("<final_answer>", "</final_answer>", "instructed models"),
    Pair("<final>", "</final>", "instructed models"),
    Pair("<output>", "</output>", "Marco, Reflection"),
    Pair("<solution>", "</solution>", "models trained by rewards for a format"),
    Pair("<|begin_of_solution|>", "<|end_of_solution|>", "OpenThinker, Sky"),
    Pair("<|start_response|>", "<|end_response|>", "Cohere"),
    Pair("<|start_text|>", "<|end_text|>", "Cohere"),
    Pair("<|begin_of_box|>", "<|end_of_box|>", "GLM 4.5V"),
    Pair("<|channel|>final…<|message|>", "", "gpt-oss"),
    Pair("<|start|>assistant", "", "gpt-oss"),
    Pair("<|begin|>assistant", "", "Solar Open"),
    Pair("<|content|>", "", "Solar Open"),
    Pair("<|im_start|>assistant", "", "ChatML: Qwen, SmolLM, InternLM, Yi, Hermes"),
    Pair("<|im_assistant|>assistant<|im_middle|>", "", "Kimi"),
    Pair("<|start_header_id|>assistant<|end_header_id|>", "", "Llama 3"),
    Pair("<|header_start|>assistant<|header_end|>", "", "Llama 4"),
    Pair("<|start_of_role|>assistant<|end_of_role|>", "", "Granite"),
    Pair("<start_of_turn>model", "", "Gemma 1 to 3"),
    Pair("<|turn>model", "", "Gemma 4"),
    Pair("<|assistant|>", "", "GLM, Phi, Zephyr"),
    Pair("[|assistant|]", "", "EXAONE"),
    Pair("<｜assistant｜>", "", "DeepSeek"),
    Pair("<|start_of_turn_token|><|chatbot_token|>", "", "Cohere"),
    Pair("<role>assistant</role>", "", "Ling, Ring"),
    Pair("]~b]ai", "", "MiniMax"),
)


# --- what is made of them ----------------------------------------------------------------------------


def thinks(model: str) -> bool:
    """Whether a model of this name (or file) is of a family that thinks before it answers."""
    return bool(_THINKING_MODELS.search(re.sub(r"[_\s:/]+", "-", model)))


def is_named(word: str, text: str) -> bool:
    """Whether ``text``, which must be in lower case, has the control word, or the name inside its
    signs if that has an underscore (``im_end``).
    """
    word = word.lower()
    name = word.strip("<>|/[]｜◁▷")
    return word in text or ("_" in name and name in text)


def is_ordinary(word: str) -> bool:
    """Whether people's text may have the word as well: ``</answer>``, ``<s>``."""
    return bool(re.fullmatch(rf"</?(?:{_ORDINARY})>", word.lower()))


class WordPatterns(NamedTuple):
    """Patterns of the rows, for any case; longer words match first.

    thought, end_of_thought: the two ends of a thought. answer: an opener of the answer. beginning: the same, or any
    control word and the role after it. end: of a turn. before_answer: any word; plain ones (``assistantfinal``) count
    only before the answer, not within a text.
    """

    thought: re.Pattern[str]
    end_of_thought: re.Pattern[str]
    answer: re.Pattern[str]
    beginning: re.Pattern[str]
    end: re.Pattern[str]
    before_answer: re.Pattern[str]


@cache
def any_signed_word() -> re.Pattern[str]:
    """A pattern for any control word that begins with a sign and not a letter; made once."""
    others = {word for pair in (*_OTHER_THOUGHTS, *_ANSWERS) for word in pair[:2]}
    others |= {*_BEGINNINGS, *_ENDS}
    unplain = {word for word in others if word and not word[0].isalpha()}
    return _pattern(_shaped(0), _shaped(1), _any_of(unplain), _ANY_FAMILY)


@cache
def word_patterns() -> WordPatterns:
    """The patterns for control words by what they do; made at the first call, then shared."""
    others = (*_OTHER_THOUGHTS, *_STRIPPED_THOUGHTS)
    openings = _any_of(pair.opening for pair in _OTHER_THOUGHTS)
    closings = {pair.closing for pair in others} - {*_ENDS}
    answers = {pair.opening for pair in _ANSWERS}
    plain = {closing for closing in closings if closing[0].isalpha()}
    # A stripped opening stands right before the thought's first word.
    stripped = r"(?-i:(?:assistant)?analysis(?=\s?[A-Z\"'“`*]))"
    roles = rf"(?:{_ANY_FAMILY})(?:assistant|model|final)?"
    return WordPatterns(
        thought=_pattern(openings, _shaped(0), stripped),
        end_of_thought=_pattern(_any_of(closings), _shaped(1)),
        answer=_pattern(_any_of(answers)),
        beginning=_pattern(_any_of({*answers, *_BEGINNINGS}), roles),
        end=_pattern(_any_of(_ENDS)),
        before_answer=_pattern(_any_of(plain), any_signed_word().pattern),
    )


def _shaped(side: int) -> str:
    """A pattern, as text, for the openings (side 0) or the closings (side 1) of thoughts of each
    name in each shape of tag.
    """
    names = _any_of(_THOUGHT_NAMES)
    shapes = dict.fromkeys(re.escape(shape[side]) for shape in _THOUGHT_SHAPES)
    return "|".join(shape.replace(re.escape("{}"), names) for shape in shapes)


@cache
def closing_of(opening: str) -> re.Pattern[str] | None:
    """A pattern for the words that close the thought, or the answer, opened by ``opening`` (as
    ``WordPatterns`` matches it, in any case).

    ``None`` if the end of the turn closes it, or it is no such opening.
    """
    opening = opening.lower()
    pairs = [
        pair
        for pair in (*_all_thought_pairs(), *_ANSWERS)
        if pair.opening == opening and pair.closing
    ]
    return _pattern(_any_of(pair.closing for pair in pairs)) if pairs else None


def may_go_on(text: str) -> bool:
    """Whether more text may make ``text``, which is the beginning of a word at most, one of the
    control words. Case does not count.
    """
    text = text.lower()
    if text in _beginnings() or text.removesuffix("\n") in _stripped_openings():
        return True
    if text.startswith("<|channel|>final"):
        return "\n" not in text and "<|message|>" not in text and len(text) < LONGEST
    return bool(re.fullmatch(r"<(?:[|｜](?:[\w▁:/-]{1,40}[|｜]?)?)?", text))


@cache
def _all_thought_pairs() -> tuple[Pair, ...]:
    """The pairs of all thoughts, in all shapes."""
    shaped = (
        Pair(opening.format(name), closing.format(name), families)
        for (name, families), (opening, closing) in product(_THOUGHT_NAMES.items(), _THOUGHT_SHAPES)
    )
    return (*shaped, *_OTHER_THOUGHTS, *_STRIPPED_THOUGHTS)


@cache
def _beginnings() -> frozenset[str]:
    """The proper beginnings, in lower case, of all words; of one with ``…`` in it those up to this
    sign. Made once.
    """
    pairs = (*_all_thought_pairs(), *_ANSWERS)
    texts = {*(end for pair in pairs for end in pair[:2]), *_BEGINNINGS, *_ENDS}
    texts = {text.partition("…")[0] + ("…" if "…" in text else "") for text in texts}
    return frozenset(text[:size] for text in texts for size in range(1, len(text)))


def _stripped_openings() -> frozenset[str]:
    """Openings for which the next character decides whether they are one."""
    return frozenset(pair.opening for pair in _STRIPPED_THOUGHTS)


def _pattern(*branches: str) -> re.Pattern[str]:
    """A pattern for any of the branches, in any case."""
    return re.compile("|".join(branches), re.IGNORECASE)


def _any_of(texts: Iterable[str]) -> str:
    """A pattern, as text, for any of ``texts``, the longest that fits; their common beginnings are
    matched once, and ``…`` as a channel's own words. Empty for no texts.
    """
    texts, rests = {*texts}, dict[str, list[str]]()
    for text in sorted(texts - {""}):
        rests.setdefault(text[0], []).append(text[1:])
    branches = [
        (_CHANNELS_OWN if first == "…" else re.escape(first)) + _any_of(rest)
        for first, rest in rests.items()
    ]
    if len(branches) < 2 and "" not in texts:
        return "".join(branches)
    return f"(?:{'|'.join(branches)})" + "?" * ("" in texts) if branches else ""
