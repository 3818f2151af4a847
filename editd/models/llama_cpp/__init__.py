"""GGUF files on llama.cpp, in this process: the only package that uses the library.

``library`` finds it and checks its layout, ``placement`` plans memory, ``weights`` loads a file, ``context`` runs passes,
``target`` decodes with them, ``header`` reads the tokenizer; ``loading`` joins them.
"""
