"""Reads the weights of a checkpoint onto the device of a plan.

transformers does the reading; this module configures it and turns every error into one sentence. Errors of single
weights, which transformers logs but leaves out of its exception, are collected from its log.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from safetensors import SafetensorError
from torch.nn import Module
from transformers import AutoConfig, AutoModelForCausalLM

from editd.errors import (
    EditdError,
    ModelDamaged,
    ModelUnsupported,
    OutOfMemory,
    as_out_of_memory,
    first_line,
)
from editd.models.model_folder import Checkpoint
from editd.models.torch.memory_plan import MemoryPlan, stays_quantised, stored_bits

_OFFLINE = {"local_files_only": True, "trust_remote_code": False}


def load_weights(checkpoint: Checkpoint, plan: MemoryPlan) -> Any:
    """The model with its weights on the plan's device, in the plan's dtype unless it stays
    quantised.

    Raises for every error of transformers: ``OutOfMemory``, ``ModelDamaged`` (files that cannot be
    read or lack weights, or do not fit the configuration), ``ModelUnsupported`` (anything else).
    """
    name = checkpoint.name
    report = None
    try:
        with _captured_log() as report:
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                str(checkpoint.folder),
                dtype=plan.dtype,
                use_safetensors=True,
                output_loading_info=True,
                **_OFFLINE,
                **_quantisation_options(checkpoint, plan),
            )
        model, loading = loaded
        if stored_bits(checkpoint.config):  # unpacked in whichever dtype its scales have
            model = Module.to(model, plan.device, plan.dtype)
        elif not stays_quantised(checkpoint.config):
            model = model.to(plan.device)
    except EditdError:
        raise
    except SafetensorError as error:
        raise ModelDamaged(
            f"The weights of {name} cannot be read ({first_line(error)}): pull or copy the model "
            "again."
        ) from error
    except (OSError, RuntimeError, MemoryError) as error:
        raise _from_system_error(error, name, plan, report.text if report else "") from error
    except Exception as error:  # whatever an architecture makes of a configuration
        raise ModelUnsupported(
            f"transformers cannot build {name} ({first_line(error)}): install what it needs, "
            f"or choose another model."
        ) from error
    missing = sorted(loading["missing_keys"])
    if missing:
        raise ModelDamaged(
            f"The weights of {name} are incomplete ({len(missing)} missing, first {missing[0]}): "
            "pull or copy the model again."
        )
    return model


def _quantisation_options(checkpoint: Checkpoint, plan: MemoryPlan) -> dict[str, Any]:
    """Options of ``from_pretrained`` for a quantised checkpoint: its weights are unpacked, or
    created on the device where they will stay.

    Empty for any other. Reads the configuration again if they are unpacked.
    """
    if stored_bits(checkpoint.config):
        config: Any = AutoConfig.from_pretrained(str(checkpoint.folder), **_OFFLINE)
        config.quantization_config = {**config.quantization_config, "dequantize": True}
        return {"config": config}
    return {"device_map": {"": plan.device}} if stays_quantised(checkpoint.config) else {}


def _from_system_error(
    error: BaseException, name: str, plan: MemoryPlan, report: str
) -> EditdError:
    """The exception for an ``error`` of the system or torch while reading: ``OutOfMemory`` if it or
    ``report`` says so, else ``ModelDamaged``; returned, not raised.

    report: the log of transformers meanwhile.
    """
    if as_out_of_memory(error) or as_out_of_memory(RuntimeError(report)):
        return OutOfMemory(
            f"Memory on {plan.device} ran out while loading {name}: choose "
            "a smaller model (`editd models list`) or free some memory."
        )
    return ModelDamaged(
        f"The weights of {name} do not fit its config.json ({first_line(error)}): pull or copy "
        "the model again."
    )


class _LogText(logging.Handler):
    """A log handler that collects messages in ``text``."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage()


@contextmanager
def _captured_log() -> Iterator[_LogText]:
    """A context that collects transformers' warnings and errors about loading in the object it
    gives, and hides them from every other log.
    """
    logger, collector = logging.getLogger("transformers.modeling_utils"), _LogText()
    level, propagates = logger.level, logger.propagate
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    logger.addHandler(collector)
    try:
        yield collector
    finally:
        logger.removeHandler(collector)
        logger.setLevel(level)
        logger.propagate = propagates
