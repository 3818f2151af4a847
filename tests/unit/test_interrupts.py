"""A signal at any moment ends the program without a traceback, as the shell expects it, and writes all or nothing."""

import json
import subprocess
import sys

import pytest

# Forks a child for each moment, which sends itself a signal at that call of a function after ``main`` has begun to
# listen; the first child counts the calls.
AT_EACH_MOMENT = """
import json, os, signal, sys, tempfile
from random import Random
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored in the background
from editd import interrupts
from editd.frontends.cli import app, edit, main  # so that no child loads them
from editd.refactor import computed as answering

seed, arguments = int(sys.argv[1]), sys.argv[2:]
calls = 0

def run(moment, number):
    out = tempfile.TemporaryFile()
    count = tempfile.TemporaryFile()
    child = os.fork()
    if not child:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)

        def on_call(frame, event, argument):
            global calls
            if event == "call" and interrupts._state.listens:
                calls += 1
                if calls == moment:
                    os.kill(os.getpid(), number)

        leave = os._exit
        def leaving(code):
            os.write(count.fileno(), str(calls).encode())
            leave(code)
        sys.argv = ["editd", *arguments]
        sys.setprofile(on_call)
        try:
            main()
        except SystemExit as end:
            sys.setprofile(None)
            leaving(end.code or 0)
        except BaseException as error:  # as Python does where it gets there
            sys.setprofile(None)
            sys.excepthook(type(error), error, error.__traceback__)
            leaving(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for file in (out, count):
        file.seek(0)
    return code, out.read().decode(), count.read().decode()

code, said, count = run(0, 0)
assert code == 0, said
most, rng = int(count), Random(seed)
moments = [*range(1, 40), *range(most - 25, most), *(rng.randrange(40, most) for _ in range(40))]
bad = []
for moment in moments:
    number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
    with open("a.py", "w") as file:
        file.write("result = 1\\n")
    code, said, _ = run(moment, number)
    written = open("a.py").read()
    is_clean = not any(word in said for word in ("Traceback", "ignored", "Warning", "internal error"))
    is_done = code == 0 and written == "size = 1\\n"
    is_ended = code in (128 + number, -number) and written in ("result = 1\\n", "size = 1\\n")
    if not (is_clean and (is_done or is_ended)):
        bad.append((moment, int(number), code, said[-600:]))
print(json.dumps([most, bad]))
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_signal_at_any_moment_ends_in_order(tmp_path, monkeypatch, seed):
    (tmp_path / "a.py").write_text("result = 1\n")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    arguments = ["edit", "a.py", "-i", "rename result to size", "--in-place"]
    done = subprocess.run(
        [sys.executable, "-c", AT_EACH_MOMENT, str(seed), *arguments],
        capture_output=True,
        timeout=300,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    most, bad = json.loads(done.stdout)
    assert most > 1000
    assert bad == []
