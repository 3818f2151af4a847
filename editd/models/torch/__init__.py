"""Models on torch and transformers: the only package that uses either, or a CUDA device.

``memory_plan`` computes the memory that a model takes, also with quantised weights; ``read_weights`` reads them;
``runner`` decodes with them, ``exactness`` tests what can be promised. ``loading`` joins them.
"""
