"""Token ids in, token ids out: the loop of drafting, verifying and accepting. No text, no tensor.

``speculative`` is the loop, ``drafters`` propose, ``target`` is the interface of the model, ``window`` and ``costs``
choose how much a round verifies, ``detokenizer`` turns the output into text.
"""
