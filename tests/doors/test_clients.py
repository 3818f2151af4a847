"""Clients that others wrote, each making a real edit through ``editd serve``, offline.

``make test-doors`` installs them into an environment of their own; without it these are skipped.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENTS = Path(os.environ.get("EDITD_TEST_CLIENTS", ROOT / ".venv-doors"))
NODE_MODULES = ROOT / ".testenv" / "doors" / "node_modules"
INSPECTOR = NODE_MODULES / ".bin" / "mcp-inspector"
CONTINUE = NODE_MODULES / "@continuedev" / "openai-adapters" / "dist" / "index.js"

CODE = (ROOT / "examples" / "demo" / "inventory.py").read_text()
FIRST, SECOND = next(
    (one, two)
    for one, two in itertools.pairwise(CODE.split("\n"))
    if one.startswith("def ") and CODE.count(one) == CODE.count(two) == 1
)
SKETCH = (
    f"# ... existing code ...\n{FIRST}\n    # Counted daily.\n{SECOND}\n# ... existing code ...\n"
)
MERGED = CODE.replace(FIRST, f"{FIRST}\n    # Counted daily.", 1)
FORM = f"<instruction>I add a limit.</instruction>\n<code>{CODE}</code>\n<update>{SKETCH}</update>"

needs_clients = pytest.mark.skipif(
    not (CLIENTS / "bin" / "llm").exists(), reason="make test-doors installs the clients"
)
needs_inspector = pytest.mark.skipif(
    not INSPECTOR.exists(), reason="make test-doors installs the Inspector"
)

needs_continue = pytest.mark.skipif(
    not CONTINUE.exists(), reason="make test-doors installs Continue's adapters"
)


@pytest.fixture
def environment(tmp_path):
    """A home, a daemon and settings of its own; what is not on this machine is not there."""
    (tmp_path / "config.toml").touch()
    return {
        **{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")},
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "EDITD_EDIT_WORDS": "false",  # a model is what these tests are about
        "EDITD_CONFIG": str(tmp_path / "config.toml"),
        "EDITD_RUNTIME_DIR": str(tmp_path / "run"),
        "EDITD_STATE_DIR": str(tmp_path / "state"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


@pytest.fixture
def url(environment):
    serving = subprocess.Popen(
        [sys.executable, "-m", "editd", "serve", "--port", "0"],
        env=environment,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield re.search(r"http://127\.0\.0\.1:\d+/v1", serving.stderr.readline())[0]
    serving.send_signal(signal.SIGINT)
    serving.communicate(timeout=30)
    editd = [sys.executable, "-m", "editd"]
    subprocess.run([*editd, "stop"], env=environment, cwd=ROOT, capture_output=True, timeout=60)


def run(environment, *command, stdin=""):
    environment = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, env=environment, input=stdin, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


LITELLM = """
import asyncio, json, sys
import litellm
asked = json.load(sys.stdin)
url, form, code = asked["url"], asked["form"], asked["code"]
given = {
    "model": "openai/editd",
    "api_base": url,
    "api_key": "none",
    "messages": [{"role": "user", "content": form}],
    "prediction": {"type": "content", "content": code},
}
told = {}
whole = litellm.completion(**given)
told["whole"] = whole.choices[0].message.content
told["usage"] = whole.usage.total_tokens
told["stream"] = "".join(c.choices[0].delta.content or "" for c in litellm.completion(stream=True, **given))
told["async"] = asyncio.run(litellm.acompletion(**given)).choices[0].message.content
try:
    litellm.completion(**{**given, "model": "openai/gpt-4o"})
except litellm.NotFoundError as error:
    told["unknown"] = str(error)
print(json.dumps(told))
"""


@needs_clients
def test_litellm(url, environment):
    asked = json.dumps({"url": url, "form": FORM, "code": CODE})
    said = run(environment, CLIENTS / "bin" / "python", "-c", LITELLM, stdin=asked)
    told = json.loads(said.splitlines()[-1])
    assert told["whole"] == told["stream"] == told["async"] == MERGED
    assert told["usage"] == 0  # no model was asked
    assert "no such model" in told["unknown"]


@needs_clients
def test_llm(url, environment, tmp_path):
    models = f"- model_id: editd\n  model_name: editd\n  api_base: {url}\n"
    (tmp_path / "llm").mkdir()
    (tmp_path / "llm" / "extra-openai-models.yaml").write_text(models)
    environment |= {"LLM_USER_PATH": str(tmp_path / "llm"), "OPENAI_API_KEY": "none"}
    for more in ([], ["--no-stream"]):
        said = run(environment, CLIENTS / "bin" / "llm", "-m", "editd", *more, stdin=FORM)
        assert said == MERGED + "\n"  # it ends what it prints with a line end


@needs_inspector
def test_the_inspector_s_command_line(environment, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(ROOT / "examples" / "demo" / "inventory.py", project)
    server = [INSPECTOR, "--cli", sys.executable, "-m", "editd", "mcp", str(project)]
    environment = {**environment, "PYTHONSAFEPATH": "1"}

    def inspect(*words):
        done = subprocess.run(
            [*server, *words],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    tools = inspect("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["edit_file", "replace", "rewrite"]
    arguments = {"path": "inventory.py", "instructions": "I add a limit.", "code_edit": SKETCH}
    words = [word for item in arguments.items() for word in ("--tool-arg", "=".join(item))]
    done = inspect("--method", "tools/call", "--tool-name", "edit_file", *words)
    assert done["structuredContent"]["status"] == "ok"
    assert (project / "inventory.py").read_text() == MERGED


# As Continue's apply does with the template of docs/how-to/continue.md, and its inline edit.
ADAPTERS = """
const { constructLlmApi } = await import(process.argv[2]);
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const asked = JSON.parse(Buffer.concat(chunks).toString());
const api = constructLlmApi({ provider: "openai", apiBase: asked.url, apiKey: "none" });
const body = {
  model: "editd-Fast-Apply",
  messages: [{ role: "user", content: asked.form }],
  prediction: { type: "content", content: asked.code },
};
const signal = new AbortController().signal;
const whole = await api.chatCompletionNonStream({ ...body, stream: false }, signal);
let text = "";
for await (const chunk of api.chatCompletionStream({ ...body, stream: true }, signal)) {
  text += chunk.choices?.[0]?.delta?.content ?? "";
}
console.log(JSON.stringify({ whole: whole.choices[0].message.content, stream: text }));
process.exit(0);
"""


@needs_continue
def test_continue_s_adapters(url, environment, tmp_path):
    (tmp_path / "ask.mjs").write_text(ADAPTERS)
    form = f"<code>{CODE}</code>\n<update>{SKETCH}</update>"
    asked = json.dumps({"url": f"{url}/", "form": form, "code": CODE})
    said = run(environment, "node", tmp_path / "ask.mjs", CONTINUE, stdin=asked)
    told = json.loads(said.splitlines()[-1])
    assert told["whole"] == told["stream"] == MERGED
