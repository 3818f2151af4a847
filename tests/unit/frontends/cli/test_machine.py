"""The GPUs of a machine, the build of llama.cpp that suits them, and what ``editd doctor`` says of both."""

import pytest

from editd.frontends.cli import machine
from editd.frontends.cli.machine import Gpu
from editd.models.llama_cpp import builds
from tests.stores import put

CARD = Gpu("NVIDIA", "RTX 9", 16e9)
SMALL = Gpu("Intel", "Intel GPU")


@pytest.mark.parametrize(
    ("found", "newer", "cuda", "kind"),
    [
        ([], False, False, None),
        ([], True, False, "cpu"),
        ([CARD], False, False, "vulkan"),
        ([CARD], True, True, "cuda"),
        ([SMALL], False, False, None),
        ([SMALL], True, False, "cpu"),
        ([Gpu("AMD", "AMD GPU", 8e9), SMALL], False, True, "vulkan"),
        ([Gpu("AMD", "AMD GPU", 5e8)], False, False, None),
    ],
)
def test_the_build_that_suits_a_machine(linux, monkeypatch, found, newer, cuda, kind):
    monkeypatch.setattr(machine, "_outdoes_avx2", lambda: newer)
    monkeypatch.setattr(machine, "_has_cuda", lambda: cuda)
    build = machine.suited(found)
    assert (build and build.kind) == kind


def test_a_build_for_another_system_is_a_usage_error(editd, home, linux, monkeypatch):
    outcome = editd("models", "pull", "llama.cpp:metal")
    assert (outcome.code, "there is llama.cpp:cpu, llama.cpp:vulkan" in outcome.err) == (2, True)
    monkeypatch.setattr(builds.platform, "machine", lambda: "riscv64")
    outcome = editd("models", "pull", "llama.cpp")
    assert (outcome.code, "no build of llama.cpp for this system" in outcome.err) == (2, True)


class Looked:
    """What doctor is told of the library."""

    title, processor = "llama.cpp of xllamacpp", ""

    def __init__(self, *gpus):
        self.gpus = gpus


@pytest.mark.parametrize(
    ("seen", "found", "newer", "kept", "device", "text", "remedy"),
    [
        (Looked(("RTX 9", 16_000_000_000)), [CARD], True, "", "auto", "uses RTX 9 (16 GB)", ""),
        (Looked(("RTX 9", 0)), [CARD], True, "", "cpu", "since model.device is cpu", ""),
        (Looked(), [CARD], True, "", "auto", "idle: RTX 9 (16 GB)", "pull llama.cpp:vulkan (24 MB)"),
        (Looked(), [CARD], True, "vulkan", "auto", "idle: RTX 9", "Vulkan shows no GPU"),
        (Looked(), [CARD], True, "cuda", "auto", "idle: RTX 9", "CUDA's libraries are missing"),
        (Looked(), [SMALL], False, "", "auto", "not used: Intel GPU", ""),
        (Looked(), [], True, "", "auto", "reads prompts", "pull llama.cpp:cpu (11 MB), then editd stop"),
        (Looked(), [], True, "cpu", "auto", "uses the processor", ""),
        (Looked(), [], False, "", "auto", "uses the processor", ""),
    ],
)  # fmt: skip
def test_doctor_says_what_is_used_and_what_lies_idle(
    home, linux, monkeypatch, seen, found, newer, kept, device, text, remedy
):
    monkeypatch.setattr(machine, "probe_library", lambda: seen)
    monkeypatch.setattr(machine, "gpus", lambda: found)
    monkeypatch.setattr(machine, "_outdoes_avx2", lambda: newer)
    if kept:
        put(builds.available_builds()[kept].folder / "libllama.so", b"")
    said = machine.verdict(device)
    assert text in said.text
    assert remedy in said.remedy
    assert bool(remedy) == bool(said.remedy)


def test_gpus_are_found_by_driver_and_by_the_kernels_list(monkeypatch, programs, tmp_path):
    monkeypatch.setattr(machine.sys, "platform", "linux")
    assert machine.gpus(tmp_path) == []
    put(tmp_path / "dev/nvidia0", b"")
    drm = tmp_path / "sys/class/drm"
    for node, vendor, memory in (("128", "0x1002", b"8589934592\n"), ("129", "0x8086", b"")):
        put(drm / f"renderD{node}/device/vendor", vendor.encode() + b"\n")
        put(drm / f"renderD{node}/device/mem_info_vram_total", memory)
    put(drm / "renderD130/device/vendor", b"0x10de\n")  # the same card again
    put(drm / "renderD131/device/vendor", b"0x1af4\n")  # a virtual machine's
    others = [Gpu("AMD", "AMD GPU", 8 << 30), Gpu("Intel", "Intel GPU")]
    assert machine.gpus(tmp_path) == [Gpu("NVIDIA", "NVIDIA GPU"), *others]
    programs.add("nvidia-smi", says="RTX 9, 16384\nRTX 8, 8192")
    cards = [Gpu("NVIDIA", "RTX 9", 16 << 30), Gpu("NVIDIA", "RTX 8", 8 << 30)]
    assert machine.gpus(tmp_path) == [*cards, *others]
    programs.add("nvidia-smi", says="no devices were found", code=9)
    assert machine.gpus(tmp_path) == [Gpu("NVIDIA", "NVIDIA GPU"), *others]
