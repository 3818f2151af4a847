"""editd: rewrite code with a local language model, using the current buffer as the draft.

The path of one edit, in call order:

1. ``cli`` or ``lsp`` takes an instruction and a buffer and makes a ``messages.EditRequest``.
2. ``daemon.client`` carries it over a Unix socket to the one ``daemon.server`` of this user,
   or does the daemon's part itself (``--no-daemon``).
3. In its turn it goes to the engine's process (``daemon.engine_core``). There ``engine.Engine.start`` makes a
   job of it, which advances unit by unit.
4. ``prompts`` decides what is rewritten (scope) and writes the prompt.
5. ``decode.speculative`` runs rounds: a drafter proposes, the target verifies, the rest is cropped.
6. ``diff.streaming`` turns the growing answer into settled hunks; ``checks`` marks the doubtful ones.
7. Deltas and one result go back the same way, and the client previews and applies them.
"""

from editd import interrupts

interrupts.listen_in_program()

__version__ = "0.1.0"
