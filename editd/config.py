"""The settings as frozen dataclasses: the key, type, default and description of each.

A leaf: imports nothing of editd's. Every default is the documented one, and ``About`` describes the meaning of each
value and its limits to people, to ``config_sources`` (which reads files and environments) and to
docs/reference/config.md. At the end are the named instructions that editors offer, to which ``edit.presets`` adds; it
changes one by giving the same name another instruction, and removes one by giving it an empty instruction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated

EMBEDDED = "embedded"  # the name of the model that comes with editd


@dataclass(frozen=True, slots=True)
class About:
    """The meaning of a setting, and its limits beyond its type.

    pattern: a regular expression that the whole text must match; ``allowed`` puts it in words. daemons: the setting
    describes the daemon, which reads it once, when it starts. file_only: only the user's file sets it, because its value
    is run as a program.
    """

    text: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    pattern: str = ""
    allowed: str = ""
    daemons: bool = False
    file_only: bool = False


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The model, its device, and how to load it."""

    name: Annotated[
        str,
        About(
            "The model: `embedded`, a name that `editd models` lists (a pulled hub "
            "id, `ollama:…`, `lmstudio:…`), or the path of a folder or `.gguf` file (`/…`, "
            "`~/…`, `./…`). If `model.engine` is `remote`: the server's name for the model.",
            pattern=r"(?s).*\S.*",
            allowed="a name or a path",
        ),
    ] = EMBEDDED
    draft: Annotated[str, About("Smaller draft model, named in the same way; empty: none.")] = ""
    draft_device: Annotated[
        str,
        About(
            "Device of the draft model; `same`: as `model.device`.",
            pattern=r"same|auto|cpu|mps|metal|(cuda|rocm|vulkan)(:\d+)?",
            allowed="same, auto, cpu, mps, metal, cuda, cuda:N, rocm or vulkan",
            daemons=True,
        ),
    ] = "same"
    device: Annotated[
        str,
        About(
            "Device of the model. `auto`: a GPU that the model's library sees, else the CPU; of a GGUF "
            "file several GPUs. `metal`, `rocm` and `vulkan`: GGUF files only.",
            pattern=r"auto|cpu|mps|metal|(cuda|rocm|vulkan)(:\d+)?",
            allowed="auto, cpu, mps, metal, cuda, cuda:N, rocm or vulkan",
            daemons=True,
        ),
    ] = "auto"
    dtype: Annotated[
        str,
        About(
            "Data type of the weights; `auto`: chosen for the device.",
            pattern=r"auto|float32|bfloat16|float16",
            allowed="auto, float32, bfloat16 or float16",
            daemons=True,
        ),
    ] = "auto"
    max_context: Annotated[
        int,
        About(
            "Maximum length of prompt and answer together, in tokens; 0: the model's limit.",
            at_least=0,
            daemons=True,
        ),
    ] = 0
    exactness: Annotated[
        str,
        About(
            "`bitwise`: all passes have the same shape, so the text equals that of plain "
            "decoding on a GPU, too. `fast`: each pass has its fastest shape. `auto`: "
            "chosen for the device.",
            pattern="auto|bitwise|fast",
            allowed="auto, bitwise or fast",
            daemons=True,
        ),
    ] = "auto"
    threads: Annotated[
        int,
        About(
            "Number of CPU threads; 0: chosen for the machine.",
            at_least=0,
            at_most=1024,
            daemons=True,
        ),
    ] = 0

    engine: Annotated[
        str,
        About(
            "Where the model runs. `local`: on this machine; a GGUF file on a CPU on OpenVINO if "
            "that is measured to be much faster than llama.cpp (measured once). `openvino`, "
            "`llama.cpp`: on this engine (a folder with safetensors on OpenVINO: in 8 bits). "
            "`remote`: on the server at `model.url`; the text that you edit is sent to it.",
            pattern=r"local|openvino|llama\.cpp|remote",
            allowed="local, openvino, llama.cpp or remote",
            daemons=True,
        ),
    ] = "local"
    url: Annotated[
        str,
        About(
            "Base URL of an OpenAI-compatible server, such as `https://models.example/v1`; "
            "used if `model.engine` is `remote`.",
            daemons=True,
        ),
    ] = ""
    key_file: Annotated[
        str,
        About(
            "File whose first line is the server's API key; only you may read it (mode "
            "0600). Empty: the key in the environment variable `EDITD_MODEL_KEY`, if set.",
            daemons=True,
        ),
    ] = ""
    allow_plain_http: Annotated[
        bool,
        About(
            "Allow a server on another machine to be used without TLS. Anyone on the network "
            "path can then read the text.",
            daemons=True,
        ),
    ] = False

    def of_draft(self) -> ModelConfig:
        """The settings of the draft model: the model's, but for its name and perhaps its device."""
        device = self.device if self.draft_device == "same" else self.draft_device
        return replace(self, name=self.draft, draft="", device=device)


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """Settings for decoding answers. ``temperature`` 0 is greedy; the rest as in ``target.Sampling``."""

    drafter: Annotated[
        str,
        About(
            "Drafter, or several joined by `+`, the preferred one first; `none`: plain decoding.",
            pattern=r"(?s).*\S.*",
            allowed="a drafter's name",
        ),
    ] = "buffer+suffix"
    window: Annotated[
        int,
        About(
            "Maximum number of draft tokens per round; 0: chosen from the cost on this machine.",
            at_least=0,
        ),
    ] = 0
    acceptance: Annotated[
        str,
        About(
            "How a draft model's tokens are accepted when sampling. `rejection` accepts the "
            "most; with `coupled` the text depends only on the seed, not on the drafter.",
            pattern="rejection|coupled",
            allowed="rejection or coupled",
        ),
    ] = "rejection"
    temperature: Annotated[
        float, About("Sampling temperature; 0: greedy decoding.", at_least=0)
    ] = 0.0
    top_p: Annotated[
        float,
        About(
            "Sample from the most likely tokens whose probabilities add up to this; 1: from all.",
            above=0,
            at_most=1,
        ),
    ] = 1.0
    top_k: Annotated[
        int, About("Sample from this many of the most likely tokens; 0: from all.", at_least=0)
    ] = 0
    seed: Annotated[int, About("Sampling seed.", at_least=0)] = 0
    max_new_tokens: Annotated[
        int,
        About(
            "Maximum length of an answer, in tokens; 0: derived from the size of the text.",
            at_least=0,
        ),
    ] = 0
    timeout: Annotated[float, About("Time limit of an edit, in seconds; 0: none.", at_least=0)] = (
        0.0
    )


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """Settings of the daemon. Times in seconds, sizes in MiB."""

    unload_after: Annotated[
        float,
        About(
            "Idle time after which models are unloaded, in seconds; 0: never. The next edit "
            "loads them again.",
            at_least=0,
            daemons=True,
        ),
    ] = 900.0
    exit_after: Annotated[
        float,
        About(
            "Idle time after which the daemon exits, in seconds; 0: never.",
            at_least=0,
            daemons=True,
        ),
    ] = 0.0
    memory: Annotated[
        int,
        About(
            "Memory limit for models and caches, in MiB; 0: derived from the machine's memory.",
            at_least=0,
            daemons=True,
        ),
    ] = 0
    log_level: Annotated[
        str,
        About(
            "Level of the daemon's log. The log never contains the text of a buffer.",
            pattern="debug|info|warning|error",
            allowed="debug, info, warning or error",
            daemons=True,
        ),
    ] = "info"


@dataclass(frozen=True, slots=True)
class EditConfig:
    """Settings for showing and checking edits."""

    workspace: Annotated[
        bool,
        About(
            "Also draft new code from other files of the project, if the editor trusts it or "
            "`--workspace` names it. Files that git ignores, and files that look like "
            "secrets, are never read."
        ),
    ] = True
    words: Annotated[
        bool,
        About(
            "Compute an edit that the words alone decide, such as a rename, without a model. A language server "
            "reads this when it starts, from the file or the environment."
        ),
    ] = True
    presets: Annotated[dict[str, str], About("Named instructions for the editors' menus.")] = field(
        default_factory=dict
    )


def _linter(of: str, example: str) -> About:
    """The description of the setting for the linter of a language."""
    return About(
        f"Linter for {of}, such as `{example}`; empty: none. It gets the text on standard input and, in the place "
        "of `{path}`, as a file among links to its project.",
        allowed="a command line",
        file_only=True,
    )


@dataclass(frozen=True, slots=True)
class ChecksConfig:
    """Settings for the team's linters, run on files of trusted projects. Only the user's own file sets the commands."""

    python: Annotated[
        str, _linter("Python", "ruff check --output-format json --stdin-filename {path} -")
    ] = ""
    javascript: Annotated[
        str, _linter("JavaScript", "eslint --format json --stdin --stdin-filename {path}")
    ] = ""
    typescript: Annotated[
        str, _linter("TypeScript", "eslint --format json --stdin --stdin-filename {path}")
    ] = ""
    go: Annotated[str, _linter("Go", "gofmt -d")] = ""
    rust: Annotated[str, _linter("Rust", "cargo clippy --offline --message-format json")] = ""
    time_limit: Annotated[
        float, About("Time that a linter may take for a text, in seconds.", above=0, at_most=600)
    ] = 5.0

    def commands(self) -> dict[str, str]:
        """The command lines that are set, by language."""
        names = (setting.name for setting in fields(self) if setting.name != "time_limit")
        return {name: line for name in names if (line := getattr(self, name).strip())}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one process."""

    model: ModelConfig = ModelConfig()
    decode: DecodeConfig = DecodeConfig()
    daemon: DaemonConfig = DaemonConfig()
    edit: EditConfig = EditConfig()
    checks: ChecksConfig = ChecksConfig()


@dataclass(frozen=True, slots=True)
class Preset:
    """A named instruction; ``title`` is shown in a menu."""

    name: str
    title: str
    instruction: str


BUILT_IN = (
    Preset(
        "docstring",
        "Write docstrings",
        "Add a short docstring or documentation comment, in the style of this file, to every "
        "function, method and class that has none. Change nothing else.",
    ),
    Preset(
        "types",
        "Add type hints",
        "Add type annotations to the parameters and return values that lack them, with the "
        "imports that they need. Change nothing else.",
    ),
    Preset(
        "fix",
        "Fix problems",
        "Fix the problems that the diagnostics name or, where there are none, the bugs in this "
        "code. Change as little as possible.",
    ),
    Preset(
        "simplify",
        "Simplify",
        "Simplify this code and make it easier to read without changing what it does.",
    ),
    Preset(
        "tests",
        "Add tests",
        "Add tests for this code, in the style of the tests in this file if there are any. "
        "Change nothing else.",
    ),
    Preset(
        "translate",
        "Translate comments to English",
        "Translate all comments and docstrings to English. Change no code.",
    ),
)


def presets_with(configured: Mapping[str, str]) -> dict[str, Preset]:
    """The built-in presets and the user's (``configured``: instruction by name), by name, in the
    order of a menu: the built-in ones first. A user's one of a built-in name has its title and
    replaces it in its place; a blank instruction removes it.
    """
    presets = {preset.name: preset for preset in BUILT_IN}
    for name, instruction in configured.items():
        if not instruction.strip():
            presets.pop(name, None)
            continue
        title = presets[name].title if name in presets else _title(name)
        presets[name] = Preset(name, title, instruction)
    return presets


def _title(name: str) -> str:
    """A preset's name as a title."""
    return name.replace("-", " ").replace("_", " ").capitalize()
