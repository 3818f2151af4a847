"""Models on this disk: those that other programs keep, by names people know (``ollama:qwen2.5-coder:7b``).

Knows how Ollama, LM Studio, llama.cpp and Hugging Face's cache lay out their GGUF files
(``programs``) and what a name means (``names``). A name is looked up among what lies there; it never
becomes part of a path. So wherever one comes from, it can only mean a file inside these stores. Nothing is
written there. ``hub`` knows Hugging Face's cache, and how ``editd models pull`` downloads into it. What is
in a file is ``models``' to read.
"""

from editd.stores.programs import Stored, find, is_stored_name, shown, stored_models

__all__ = ["Stored", "find", "is_stored_name", "shown", "stored_models"]
