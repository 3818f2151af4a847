"""Models on torch and transformers: the only package that uses either, or a CUDA device.

``memory_plan`` says what a model takes, also of weights that were quantised; ``read_weights`` reads them;
``runner`` decodes with them, ``exactness`` says what it promises. ``loading`` joins them.
"""
