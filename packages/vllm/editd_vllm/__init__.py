"""OpenAI's predicted outputs inside vLLM: what a request expects to come back is its draft.

``Proposer`` drafts, in vLLM's worker; ``PredictionMiddleware`` reads OpenAI's ``prediction`` and counts
in its words, in vLLM's API server. vLLM's own rejection sampler decides what is said. Reading order:
``fields`` (what a request says), ``in_prompt`` (what its prompt says), ``edit`` (one request's
drafter), ``costs`` (what a step takes), ``lengths`` (how much of all drafts is worth
verifying), ``proposer``, ``middleware``.
All that is vLLM's is known to ``inside`` alone.
"""

from editd_vllm.middleware import PredictionMiddleware
from editd_vllm.proposer import Proposer

__version__ = "0.1.0"
__all__ = ["PredictionMiddleware", "Proposer"]
