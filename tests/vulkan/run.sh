#!/usr/bin/env bash
# Runs the tests of a GPU's path on Vulkan: run.sh BIN, the folder of this environment's programs. Installs Mesa's
# software driver as root on Debian, and fetches editd's Vulkan build of llama.cpp into .testenv.
set -u
bin=$1
export EDITD_CACHE_DIR=$PWD/.testenv/vulkan GGML_VK_VISIBLE_DEVICES=${GGML_VK_VISIBLE_DEVICES:-0}
export MESA_SHADER_CACHE_DIR=$EDITD_CACHE_DIR/shaders
mkdir -p "$MESA_SHADER_CACHE_DIR"
if ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1; then
  { apt-get -qq -o DPkg::Lock::Timeout=300 update &&
    apt-get -qq -o DPkg::Lock::Timeout=300 -y --no-install-recommends install libvulkan1 mesa-vulkan-drivers
  } >/dev/null 2>&1 || { echo "test-vulkan: skipped, as there is no Vulkan driver and apt-get cannot install one."; exit 0; }
fi
if ! ls "$EDITD_CACHE_DIR"/llama.cpp/*-vulkan-*/libllama.* >/dev/null 2>&1; then
  "$bin/editd" models pull llama.cpp:vulkan || { echo "test-vulkan: skipped, as the build cannot be fetched."; exit 0; }
fi
exec "$bin/python" -m pytest -q -p no:xdist tests/vulkan
