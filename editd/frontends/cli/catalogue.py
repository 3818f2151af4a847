"""The models that editd proposes: names on the Hugging Face hub, sizes, and what editd does with each.

Facts of files and model cards, which nobody here has checked but those of fetched files; no network. A name that nobody has fetched with editd says so (``is_fetched``), and no
digest is kept here: the hub's answer names it when the file is pulled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.stores import quantisations

NOT_MEASURED = "not measured"
NO_THINKING = "does not think"
BY_TEMPLATE = "turned off by its template"
IN_CHANNEL = "skipped: the answer begins in the final channel"
CHAINS_AND_TREES, CHAINS, NOT_TRIED = "chains and trees", "chains", "not tried"
APACHE, MIT = "Apache-2.0", "MIT"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model that editd proposes.

    name: ``OWNER/REPOSITORY:FILE.gguf``, or a hub id with safetensors, as ``editd models pull`` takes it. title: for
    people. parameters, active: in billions; active is 0 unless only some of them compute each token. nbytes: of the
    download. window: tokens of context, in words. drafts, thinking: what editd does. measured: edits that were judged,
    else ``NOT_MEASURED``. remark: advice for a list. is_fetched: whether this file has run with editd. offered: the
    devices for which ``editd setup`` offers it.
    """

    name: str
    title: str
    parameters: float
    nbytes: float
    window: str
    licence: str = APACHE
    active: float = 0
    drafts: str = CHAINS_AND_TREES
    thinking: str = NO_THINKING
    measured: str = NOT_MEASURED
    remark: str = ""
    is_fetched: bool = False
    offered: tuple[Literal["cpu", "cuda", "mps"], ...] = ()

    @property
    def short_name(self) -> str:
        """``repository:Q4_K_M``, the name with the last quantisation that its file's name tells, in capitals, in
        place of the file; ``editd models pull`` takes it, too. The name itself if it has no file, or its file's name
        tells none.
        """
        repository, _, file = self.name.partition(":")
        labels = quantisations(file)
        return f"{repository}:{labels[-1].upper()}" if labels else self.name

    @property
    def note(self) -> str:
        """The remark, and that nobody has fetched the file with editd, if so."""
        return ", ".join(filter(None, (self.remark, "" if self.is_fetched else "untried")))


def _coder(size: str, parameters: float, nbytes: float, **facts: object) -> Suggestion:
    """The entry of Qwen2.5-Coder-Instruct of a size (``1.5B``): the Q4_K_M file of its makers, with a context of 32k.
    parameters: their number; nbytes: the file's size; facts: further fields of ``Suggestion``.
    """
    name = (
        f"Qwen/Qwen2.5-Coder-{size}-Instruct-GGUF:qwen2.5-coder-{size.lower()}-instruct-q4_k_m.gguf"
    )
    title = f"Qwen2.5-Coder {size}"
    return Suggestion(name, title, parameters, nbytes, "32k", **facts)  # type: ignore[arg-type]


_EVERYWHERE = ("cpu", "cuda", "mps")

GGUF_MODELS = (
    _coder(
        "0.5B", 0.49, 491_400_064, remark="drafts for larger ones", is_fetched=True, measured="37 of 308 edits right, 142 with words first"
    ),
    _coder(
        "1.5B", 1.54, 1_117_320_768, remark="check every edit", is_fetched=True, measured="94 of 308 edits right, 174 with words first",
        offered=_EVERYWHERE,
    ),
    Suggestion(
        "unsloth/Qwen3.5-4B-GGUF:Qwen3.5-4B-Q4_K_M.gguf", "Qwen3.5 4B", 4, 2.74e9, "256k",
        drafts=CHAINS, thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "ibm-granite/granite-4.0-h-tiny-GGUF:granite-4.0-h-tiny-Q4_K_M.gguf", "Granite 4.0 H Tiny", 7,
        4_230_976_352, "128k", active=1, drafts=CHAINS,
    ),
    _coder("7B", 7.61, 4.68e9, remark="a good first choice", offered=_EVERYWHERE),
    Suggestion(
        "unsloth/gemma-4-E4B-it-GGUF:gemma-4-E4B-it-Q4_K_M.gguf", "Gemma 4 E4B", 8, 4_977_171_584, "128k",
        thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "unsloth/Qwen3.5-9B-GGUF:Qwen3.5-9B-Q4_K_M.gguf", "Qwen3.5 9B", 9, 5_680_522_464, "256k",
        drafts=CHAINS, thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "unsloth/gemma-4-12b-it-GGUF:gemma-4-12b-it-Q4_K_M.gguf", "Gemma 4 12B", 12, 7_121_861_440, "256k",
        thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "ggml-org/gpt-oss-20b-GGUF:gpt-oss-20b-MXFP4.gguf", "gpt-oss 20B", 20.9, 12_109_566_624, "128k",
        active=3.6, thinking=IN_CHANNEL,
    ),
    Suggestion(
        "unsloth/Devstral-Small-2-24B-Instruct-2512-GGUF:Devstral-Small-2-24B-Instruct-2512-Q4_K_M.gguf",
        "Devstral Small 2 24B", 24, 14_334_446_752, "256k",
    ),
    Suggestion(
        "unsloth/Qwen3.6-27B-GGUF:Qwen3.6-27B-Q4_K_M.gguf", "Qwen3.6 27B", 27, 16.8e9, "256k", drafts=CHAINS,
        thinking=BY_TEMPLATE, remark="for 24 GB on a card", offered=("cuda",),
    ),
    Suggestion(
        "unsloth/gemma-4-26B-A4B-it-GGUF:gemma-4-26B-A4B-it-UD-Q4_K_M.gguf", "Gemma 4 26B A4B", 26, 16.9e9, "256k",
        active=4, thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "unsloth/Qwen3.6-35B-A3B-GGUF:Qwen3.6-35B-A3B-UD-IQ4_XS.gguf", "Qwen3.6 35B A3B", 35, 17.7e9, "256k",
        active=3, drafts=CHAINS, thinking=BY_TEMPLATE, remark="for 24 GB", offered=("cpu", "mps"),
    ),
    Suggestion(
        "unsloth/GLM-4.7-Flash-GGUF:GLM-4.7-Flash-Q4_K_M.gguf", "GLM 4.7 Flash", 30, 18_312_339_776, "198k", MIT,
        active=3, drafts=NOT_TRIED, thinking=BY_TEMPLATE,
    ),
    Suggestion(
        "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf", "Qwen3-Coder 30B A3B",
        30.5, 18_556_689_568, "256k", active=3.3,
    ),
    Suggestion(
        "ibm-granite/granite-4.0-h-small-GGUF:granite-4.0-h-small-Q4_K_M.gguf", "Granite 4.0 H Small", 32,
        19_476_621_984, "128k", active=9, drafts=CHAINS,
    ),
)  # fmt: skip
"""GGUF files, for llama.cpp, by the size of the download."""

SAFETENSORS_MODELS = (
    Suggestion(
        "Qwen/Qwen2.5-Coder-0.5B-Instruct", "Qwen2.5-Coder 0.5B", 0.49, 0.98e9, "32k",
        remark="drafts for larger ones", is_fetched=True,
    ),
    Suggestion(
        "Qwen/Qwen2.5-Coder-1.5B-Instruct", "Qwen2.5-Coder 1.5B", 1.54, 3.08e9, "32k", remark="check every edit",
        is_fetched=True,
    ),
    Suggestion(
        "Qwen/Qwen2.5-Coder-7B-Instruct", "Qwen2.5-Coder 7B", 7.61, 15.2e9, "32k", remark="a good first choice",
    ),
    Suggestion("Qwen/Qwen2.5-Coder-14B-Instruct", "Qwen2.5-Coder 14B", 14.7, 29.4e9, "32k"),
    Suggestion(
        "Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen3-Coder 30B A3B", 30.5, 61e9, "256k", active=3.3,
    ),
)  # fmt: skip
"""Repositories with safetensors, for PyTorch, from small to large: two bytes for a parameter."""
