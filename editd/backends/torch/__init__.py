"""Models that torch and transformers run: the only package that knows either, or a CUDA device."""
