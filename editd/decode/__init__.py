"""Token ids in, token ids out: the draft, verify, accept loop. No text, no tensor."""
