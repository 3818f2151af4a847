"""What a user may set, as frozen dataclasses. Reading files and environments is ``settings``' work.

A leaf: imports nothing of editd's. Every default here is the documented one, and ``About`` says
to people, to ``settings`` and to docs/reference/config.md what each value means and may be.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated


@dataclass(frozen=True, slots=True)
class About:
    """What a setting means, and what it may be beyond its type.

    pattern: a regular expression that the whole text must match; ``allowed`` puts it in words.
    daemons: it describes the daemon, which reads it once, when it starts.
    """

    text: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    pattern: str = ""
    allowed: str = ""
    daemons: bool = False


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Which model, where, and how it may be loaded."""

    name: Annotated[
        str,
        About(
            "The model: `demo`, `embedded`, a name of `editd models` (a hub id that was pulled, "
            "`ollama:…`, `lmstudio:…`), or a folder or `.gguf` file, written as a path (`/…`, `~/…`, "
            "`./…`); the server's name for it where the engine is `remote`.",
            pattern=r"(?s).*\S.*",
            allowed="a name or a path",
        ),
    ] = "demo"
    draft: Annotated[
        str, About("A smaller model that drafts for it, named likewise; empty for none.")
    ] = ""
    draft_device: Annotated[
        str,
        About(
            "Where the draft model runs; `same`: where the model runs.",
            pattern=r"same|auto|cpu|mps|(cuda|rocm|vulkan)(:\d+)?",
            allowed="same, auto, cpu, mps, cuda, cuda:N, rocm or vulkan",
            daemons=True,
        ),
    ] = "same"
    device: Annotated[
        str,
        About(
            "Where it runs; `auto` takes the first of cuda, mps and cpu that works, and more cards "
            "where one cannot hold the model.",
            pattern=r"auto|cpu|mps|(cuda|rocm|vulkan)(:\d+)?",
            allowed="auto, cpu, mps, cuda, cuda:N, rocm or vulkan",
            daemons=True,
        ),
    ] = "auto"
    dtype: Annotated[
        str,
        About(
            "The type of its weights; `auto` suits the device.",
            pattern=r"auto|float32|bfloat16|float16",
            allowed="auto, float32, bfloat16 or float16",
            daemons=True,
        ),
    ] = "auto"
    max_context: Annotated[
        int,
        About(
            "Most tokens of prompt and answer together; 0: the model's own.",
            at_least=0,
            daemons=True,
        ),
    ] = 0
    allow_remote_code: Annotated[
        bool,
        About(
            "Run Python code that comes with a model. Such code can do all that you can: leave it "
            "off unless you read it. Never taken from an editor's initialization options."
        ),
    ] = False
    quantize: Annotated[
        str,
        About(
            "How the weights are stored: `none` as they are, `int8`, `int4` or `fp8` smaller and a "
            "little less exact than the model; `auto`: as they are if they fit, else the first that "
            "does.",
            pattern="auto|none|int8|int4|fp8",
            allowed="auto, none, int8, int4 or fp8",
            daemons=True,
        ),
    ] = "auto"
    capture: Annotated[
        str,
        About(
            "Record a GPU's steps once and replay them: `graphs` as they are, `compile` after "
            "compiling them, `off` never; `auto`: what suits the device.",
            pattern="auto|graphs|compile|off",
            allowed="auto, graphs, compile or off",
            daemons=True,
        ),
    ] = "auto"
    exactness: Annotated[
        str,
        About(
            "`bitwise`: every pass has the same shape, so that the text is plain decoding's bit for "
            "bit on a GPU too; `fast`: the best shape each time; `auto`: what suits the device.",
            pattern="auto|bitwise|fast",
            allowed="auto, bitwise or fast",
            daemons=True,
        ),
    ] = "auto"
    threads: Annotated[
        int, About("CPU threads; 0: chosen.", at_least=0, at_most=1024, daemons=True)
    ] = 0

    engine: Annotated[
        str,
        About(
            "Who runs the model: `local`, this machine; `remote`, the server at `model.url`, which "
            "is then sent the text of what you edit.",
            pattern="local|remote",
            allowed="local or remote",
            daemons=True,
        ),
    ] = "local"
    url: Annotated[
        str,
        About(
            "The server of a `remote` engine: the base address of an OpenAI-compatible API, such as "
            "`https://models.example/v1`.",
            daemons=True,
        ),
    ] = ""
    key_file: Annotated[
        str,
        About(
            "A file with the server's API key in its first line, which only you can read (mode "
            "0600); empty: the key in the environment variable EDITD_MODEL_KEY, if any.",
            daemons=True,
        ),
    ] = ""
    tokenizer: Annotated[
        str,
        About(
            "The tokenizer of a server's model: its folder or a pulled hub id. Texts are then counted "
            "exactly, and prompts go as token ids to a server that takes them; empty: neither.",
            daemons=True,
        ),
    ] = ""
    allow_plain_http: Annotated[
        bool,
        About(
            "Send text without TLS to a server on another machine. Everybody on the way can read it.",
            daemons=True,
        ),
    ] = False

    def of_draft(self) -> ModelConfig:
        """The settings of the draft model: the model's, but for its name and perhaps its device."""
        device = self.device if self.draft_device == "same" else self.draft_device
        return replace(self, name=self.draft, draft="", device=device)


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """How answers are decoded. ``temperature`` 0 is greedy; the rest as in ``target.Sampling``."""

    drafter: Annotated[
        str,
        About(
            "Who drafts: `buffer`, `none`, another drafter's name, or several joined by `+`.",
            pattern=r"(?s).*\S.*",
            allowed="a drafter's name",
        ),
    ] = "buffer+suffix"
    window: Annotated[
        int,
        About(
            "Most draft tokens a round; 0: chosen by what they cost on this machine.", at_least=0
        ),
    ] = 0
    acceptance: Annotated[
        str,
        About(
            "How sampled drafts of a draft model are judged: `rejection` accepts the most, `coupled` "
            "makes the text depend on the seed alone, whoever drafts.",
            pattern="rejection|coupled",
            allowed="rejection or coupled",
        ),
    ] = "rejection"
    temperature: Annotated[
        float, About("0 takes the likeliest token each time; higher is bolder.", at_least=0)
    ] = 0.0
    top_p: Annotated[
        float,
        About("Sample from the fewest tokens that hold this probability.", above=0, at_most=1),
    ] = 1.0
    top_k: Annotated[int, About("Sample from this many tokens at most; 0: all.", at_least=0)] = 0
    min_p: Annotated[
        float,
        About(
            "Leave out tokens less likely than this share of the likeliest.", at_least=0, at_most=1
        ),
    ] = 0.0
    repetition_penalty: Annotated[
        float, About("Above 1, tokens already there become less likely.", above=0)
    ] = 1.0
    seed: Annotated[int, About("Of the sampler: same seed, same text.", at_least=0)] = 0
    max_new_tokens: Annotated[
        int, About("Most tokens of an answer; 0: as the buffer's size suggests.", at_least=0)
    ] = 0
    timeout: Annotated[
        float, About("Seconds after which an edit is stopped; 0: never.", at_least=0)
    ] = 0.0


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """How the daemon behaves. Times in seconds, sizes in MiB."""

    unload_after: Annotated[
        float,
        About(
            "Free the model's memory after so many idle seconds; it loads again on demand. "
            "0: never.",
            at_least=0,
            daemons=True,
        ),
    ] = 900.0
    exit_after: Annotated[
        float, About("Leave after so many idle seconds; 0: never.", at_least=0, daemons=True)
    ] = 0.0
    memory: Annotated[
        int,
        About(
            "Most MiB for models and caches; 0: chosen from what the machine has.",
            at_least=0,
            daemons=True,
        ),
    ] = 0
    log_level: Annotated[
        str,
        About(
            "How much the daemon's log says. It never holds the text of a buffer.",
            pattern="debug|info|warning|error",
            allowed="debug, info, warning or error",
            daemons=True,
        ),
    ] = "info"


@dataclass(frozen=True, slots=True)
class EditConfig:
    """How edits are told and judged."""

    workspace: Annotated[
        bool,
        About(
            "Draft inserted code from the project's files too, where the editor says that the "
            "project is trusted or `--workspace` names it. Files that git ignores and files that "
            "look like secrets are never read."
        ),
    ] = True
    presets: Annotated[dict[str, str], About("Instructions by name, for the editors' menus.")] = (
        field(default_factory=dict)
    )


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one process."""

    model: ModelConfig = ModelConfig()
    decode: DecodeConfig = DecodeConfig()
    daemon: DaemonConfig = DaemonConfig()
    edit: EditConfig = EditConfig()
