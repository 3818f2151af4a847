"""``editd lsp`` as a process, with a scripted engine inside in the daemon's place.

Arguments: fields of ``tests.fakes.Script`` as JSON. What is printed here must not disturb anybody.
"""

from __future__ import annotations

import json
import sys

from editd.config import Config
from editd.frontends.lsp.server import main
from tests.fakes import Script, scripted
from tests.in_process import InProcessEngineClient


def client():
    print("this is not a message of the protocol")
    script = Script(**json.loads(sys.argv[1])) if len(sys.argv) > 1 else Script()
    return InProcessEngineClient(Config(), scripted(script))


if __name__ == "__main__":
    main(client)
