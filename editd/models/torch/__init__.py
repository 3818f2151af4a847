"""Models on torch and transformers: the only package that uses either, or a CUDA device.

``memory_plan`` says what a model takes, ``read_weights`` reads them, ``stored`` knows those that were quantised;
``runner`` decodes with them. ``gpu`` is what a GPU's passes need. ``loading`` joins them.
"""
