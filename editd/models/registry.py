"""The backend of each model name; loading a model, stamping its files and planning its memory by the name.

A ``.gguf`` file, a folder with one and no other weights, and a file in another program's store (``ollama:…``,
``stores``) are llama.cpp's, or OpenVINO's where that is much faster (``engines``); a folder in OpenVINO's own format
is OpenVINO's; ``embedded`` and everything else without a scheme (a folder, a hub id) is torch's, or OpenVINO's if
``model.engine`` names it; ``SCHEME:rest`` is for the backend of that name. Backends that come with editd stand in
``BACKENDS``; another is an installed package's entry point in the group ``editd.backends``, a module with a function
``load`` (``model.Backend``). A model that has to be built first stands in ``BUILDERS``, too. Only what is installed
can be named: no file of a workspace gets to say what is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, cast

from editd import stores
from editd.config import EMBEDDED, ModelConfig
from editd.errors import (
    EditdError,
    ModelDamaged,
    ModelNotFound,
    ModelUnsupported,
    as_out_of_memory,
)
from editd.models.llama_cpp.weights import parts_of
from editd.models.loaded_model import LoadedModel
from editd.models.machine import Report
from editd.models.model import Backend, Builder, Model, ModelSpec, PooledModel, Progress
from editd.models.model_folder import FILE_NAME, Stamp, files_in, stamp_of
from editd.models.openvino.own_format import is_graph_folder
from editd.stores.hub import expand_home, gigabytes

if TYPE_CHECKING:
    from editd.models.openvino.converting import PendingConversion

log = logging.getLogger(__name__)

# What a library, or a formula of ours, may raise on a hostile or damaged file.
_OF_DAMAGED_FILES = (
    *(ArithmeticError, AttributeError, LookupError),
    *(TypeError, ValueError, RecursionError),
)

GROUP = "editd.backends"

# name → module with ``load``; the name is also the scheme by which a model can ask for it
BACKENDS = {
    "torch": "editd.models.torch.loading",
    "llama_cpp": "editd.models.llama_cpp.loading",
    "openvino": "editd.models.openvino.loading",
    "remote": "editd.models.remote",
}
DEFAULT, REMOTE, OPENVINO = "torch", "remote", "openvino"

# name of a model → module that builds the folder (``model.Builder``) that a backend then loads
BUILDERS = {EMBEDDED: "editd.embedded.merged_model"}

_BUILDING = 0.8  # of the progress bar, where a model has to be made first


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> PooledModel:
    """Load the model that ``spec`` names by its backend, after building it if that is necessary;
    sets its ``name`` to ``spec.title``.

    The parameters and exceptions are those of ``model.Backend.load``. Raises ``ModelUnsupported``
    also if the backend's library is not installed, and ``ModelDamaged`` (logged) for the
    ``ValueError``, ``TypeError`` and the like that a library raises on a damaged file.
    """
    report = progress or (lambda _fraction: None)
    try:
        if spec.engine == REMOTE:
            # The name is the server's, whatever it would denote on this machine.
            model = _backend(REMOTE).load(spec, progress, most_bytes=most_bytes)
        else:
            resolved_spec = resolve(spec, lambda _message, done: report(_BUILDING * done))
            if (file := gguf_file(resolved_spec.name)) is not None:
                model = _load_gguf(replace(resolved_spec, name=str(file)), report, most_bytes)
            else:
                scheme = backend_name(resolved_spec.name)
                if (
                    spec.engine == OPENVINO
                    and scheme == DEFAULT
                    and resolved_spec.name == spec.name
                ):
                    scheme = OPENVINO
                backend = _backend(scheme, resolved_spec.name)
                resolved_spec = replace(resolved_spec, name=without_scheme(resolved_spec.name))
                model = backend.load(resolved_spec, progress, most_bytes=most_bytes)
    except ModuleNotFoundError as error:
        raise ModelUnsupported(
            f"{spec.name} needs {error.name}, which is not installed: editd includes it, "
            "editd-core does not. Install editd in its place."
        ) from error
    except _OF_DAMAGED_FILES as error:
        # A hostile or damaged file can make a library, or a formula of ours, raise any of these.
        if (out_of_memory := as_out_of_memory(error)) is not None:
            raise out_of_memory from error
        log.exception("loading %s failed", spec.title)
        raise ModelDamaged(
            f"{spec.title} cannot be loaded ({type(error).__name__}): a file of it holds values that no "
            "model has; pull or copy the model again, or see `editd logs`."
        ) from error
    model.name = spec.title
    return model


def _load_gguf(spec: ModelSpec, progress: Progress, most_bytes: int | None) -> PooledModel:
    """Load the GGUF file that ``spec`` names on the engine chosen for it; sets the model's ``why``
    and ``notice``. Raises whatever loading raises.
    """
    from editd.models.engines import loaded_by_choice

    def load_by(backend: str, progress: Progress) -> Model:
        return cast(Model, _backend(backend).load(spec, progress, most_bytes=most_bytes))

    model, choice, notice = loaded_by_choice(spec, load_by, progress)
    if isinstance(model, LoadedModel):
        model.why = choice.why
        model.notice = " ".join(filter(None, (notice, model.notice)))
    return model


def resolve(spec: ModelSpec, report: Callable[[str, float], None] | None = None) -> ModelSpec:
    """``spec`` with its name replaced by the folder of the model, if ``BUILDERS`` has the name (the
    embedded model); else ``spec`` itself.

    Builds the folder if it is not in the cache, calling ``report`` (``model.Builder``). Raises what
    building raises.
    """
    if spec.name not in BUILDERS:
        return spec
    builder = cast(Builder, import_module(BUILDERS[spec.name]))
    return replace(spec, name=str(builder.built_folder(report)))


def stamp(spec: ModelSpec) -> Stamp:
    """The stamp of the files that ``spec`` would be loaded from now, to see later whether they
    changed.

    Empty for a server's model, and for the embedded model, whose folder is named after its content.
    If no file is found, or the name cannot be resolved, the stamp is that of a missing file; never
    raises for that.
    """
    if spec.engine == REMOTE or spec.name == EMBEDDED:
        return ()
    name = without_scheme(spec.name)
    try:
        if (file := gguf_file(name)) is not None:
            return stamp_of([*parts_of(file), file.with_name(FILE_NAME)])
        return stamp_of(files_in(name))
    except (EditdError, OSError, ValueError):
        return stamp_of([expand_home(name)])  # nothing to load, as loading says


def prepare(spec: ModelSpec, report: Callable[[str, float], None]) -> str:
    """Do now what takes long and is done once for a model, so that no edit waits for it; returns a
    notice for the user.

    Builds the embedded model; measures which engine runs a GGUF file faster, unless that is known;
    else converts for OpenVINO and proves its widths, by loading the model and closing it. report:
    called with the doing in words and the fraction done, and once with 0 before it begins. The
    notice is empty if nothing was left to do, or loading has nothing to say. Raises whatever
    loading raises.
    """
    if spec.engine == REMOTE:
        return ""
    shown = spec.name if stores.is_stored_name(spec.name) else Path(spec.name).name
    spec = resolve(spec, report)
    name, pending = spec.name, conversion_pending(spec, is_measured_first=True)
    if (file := gguf_file(name)) is not None:
        from editd.models.engines import known_choice, measure_choice

        spec = replace(spec, name=str(file.expanduser()))
        if known_choice(spec) is None:
            doing = f"measuring which engine runs {shown} fastest, once{_cost(pending)}"
            report(doing, 0.0)
            return measure_choice(
                spec,
                lambda backend, progress: cast(Model, _backend(backend).load(spec, progress)),
                lambda done: report(doing, done),
            )
    if pending is None:
        return ""
    doing = f"converting {shown} for OpenVINO, once{_cost(pending)}"
    report(doing, 0.0)
    model = load(spec, lambda done: report(doing, done))
    model.close()
    return getattr(model, "notice", "")


def _cost(pending: PendingConversion | None) -> str:
    """Seconds and size of a conversion as the end of a sentence (``: some 30 s, 600 MB on the
    disk``); empty for ``None``.
    """
    if pending is None:
        return ""
    return f": some {pending.seconds:.0f} s, {gigabytes(pending.nbytes)} on the disk"


def conversion_pending(
    spec: ModelSpec, *, is_measured_first: bool = False
) -> PendingConversion | None:
    """The conversion for OpenVINO that loading ``spec`` would begin with; converts nothing.

    is_measured_first: engines that were not measured are measured before, so a conversion comes
    with it. ``None`` if OpenVINO is not installed, another engine would run the model, or the
    converted weights are in the cache; also for names that cannot be loaded, as loading says.
    """
    from editd.models import openvino

    if spec.engine == REMOTE or not openvino.is_library_installed():
        return None
    try:
        name, scheme = without_scheme(spec.name), _scheme(spec.name)
        if not scheme and (file := gguf_file(name)) is not None:
            from editd.models.engines import known_choice

            name = str(file.expanduser())
            choice = known_choice(replace(spec, name=name))
            runs_there = is_measured_first if choice is None else choice.backend == OPENVINO
            if not runs_there:
                return None
        elif backend_name(spec.name) != OPENVINO and (scheme or spec.engine != OPENVINO):
            return None
        from editd.models.openvino.loading import pending_conversion

        return pending_conversion(replace(spec, name=name))
    except (EditdError, OSError, *_OF_DAMAGED_FILES):
        return None


def _backend(scheme: str, name: str = "") -> Backend:
    """The backend of that name: one of ``BACKENDS``, imported now, else the entry point of an
    installed package.

    name: of the model, for the error. Raises ``ModelNotFound`` if there is no such backend,
    ``ModuleNotFoundError`` if its library is not installed.
    """
    if scheme in BACKENDS:
        return cast(Backend, import_module(BACKENDS[scheme]))
    for entry in entry_points(group=GROUP, name=scheme):
        return cast(Backend, entry.load())
    known = ", ".join(f"{other}:" for other in BACKENDS)
    raise ModelNotFound(
        f"{name}: no installed backend loads “{scheme}:” models. Known are {known} and those of a "
        f"package; `editd models list` lists models.{stores.suggestion(name)}"
    )


def backend_name(name: str) -> str:
    """The name of the backend that loads the model ``name``; neither need be installed.

    The name's scheme, else ``llama_cpp`` for a GGUF file, ``openvino`` for a path to a folder in
    its own format, ``torch`` for everything else. Raises as ``gguf_file``.
    """
    if scheme := _scheme(name):
        return scheme
    if gguf_file(name):
        return "llama_cpp"
    path = expand_home(name)
    is_path = path.is_absolute() or name.startswith(("./", "../"))
    return OPENVINO if is_path and is_graph_folder(path) else DEFAULT


def gguf_file(name: str) -> Path | None:
    """The GGUF file that a model's name denotes: a stored model of another program, a path that
    ends in ``.gguf`` (existing or not), or the only one in a folder.

    ``None`` for every other name, for one with a backend's scheme, and for a folder that is
    missing, has safetensors, or has no GGUF file. Raises ``ModelUnsupported`` for a folder with
    several models, ``ModelNotFound`` for a model that another program's store does not have.
    """
    if stores.is_stored_name(name):
        return stores.find_model_file(name)
    if _scheme(name) in BACKENDS:
        return None
    path = expand_home(name)
    if path.suffix.lower() == ".gguf":
        return path
    if not path.is_absolute() and not name.startswith(("./", "../")):
        return None  # a hub id, whatever is called so here
    try:
        if not path.is_dir() or any(path.glob("*.safetensors*")):
            return None
    except (OSError, ValueError):  # no file can be called so
        return None
    files = [file for file in sorted(path.glob("*.gguf")) if stores.begins_model(file.name)]
    if len(files) > 1:
        raise ModelUnsupported(
            f"{path} contains {len(files)} GGUF files: name the one to load, such as {files[0]}."
        )
    return files[0] if files else None


def _scheme(name: str) -> str:
    """The word before the first colon of a model's name, whether or not a backend is called so:
    ``llama`` of ``llama:…``.

    Empty without a colon, for signs other than ``-`` and ``_`` before it (a path, a hub id), and
    for the name of a store (``ollama:…``).
    """
    scheme, colon, _ = name.partition(":")
    if not colon or stores.is_stored_name(name):
        return ""
    return scheme if scheme.replace("-", "").replace("_", "").isalnum() else ""


def without_scheme(name: str) -> str:
    """The part of ``name`` after its scheme; all of ``name`` if it has none."""
    scheme = _scheme(name)
    return name.removeprefix(f"{scheme}:") if scheme else name


def plan_model(config: ModelConfig) -> Report:
    """The plan of memory for loading ``config.name`` now; loads nothing, but may write a header's
    description to the cache.

    Raises whatever loading would raise, but too little memory, which is the report's ``refusal``.
    Raises ``ModelUnsupported`` for a model of another package's backend.
    """
    backend = backend_name(config.name)
    if backend == "torch" and config.engine != "openvino":
        from editd.models.torch.memory_plan import plan_model as plan_torch

        return plan_torch(config)
    spec = ModelSpec(
        without_scheme(config.name),
        config.device,
        max_context=config.max_context,
        engine=config.engine,
    )
    if backend in ("torch", "openvino"):
        from editd.models.openvino.loading import plan_on_openvino

        return plan_on_openvino(config.name, spec)
    if backend == "llama_cpp":
        return _plan_file(config.name, spec, gguf_file(config.name))
    raise ModelUnsupported(f"The memory that {config.name} needs is known only to its own package.")


def _plan_file(name: str, spec: ModelSpec, file: Path | None) -> Report:
    """The memory plan for a GGUF file, on the engine chosen for it; on llama.cpp, with a remark, if
    that has not been measured yet.

    name: for users. file: ``None`` if ``spec.name`` is the file's path, which then is planned on
    llama.cpp. Raises as ``engines.known_choice``, and what planning on that engine raises.
    """
    from editd.models.engines import EngineChoice, known_choice
    from editd.models.llama_cpp.placement import plan_file
    from editd.models.openvino.loading import plan_on_openvino

    if file is None:
        return plan_file(name, spec.name, spec.device)
    spec = replace(spec, name=str(file.expanduser()))
    choice = known_choice(spec) or EngineChoice(
        "llama_cpp", "or OpenVINO, which editd setup measures"
    )
    if choice.backend == "openvino":
        return plan_on_openvino(name, spec, choice.why)
    report = plan_file(name, file, spec.device)
    return replace(report, runs=f"{report.runs} ({choice.why})") if choice.why else report
