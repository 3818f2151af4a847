"""``python -m benchmarks compare``: the same edits and the same weights, decoded by editd and by its peers.

Reading order: ``cases`` (the edits), ``model`` (the checkpoint that every engine reads), ``peer`` (an engine's shape),
``peers/`` (a short file for each), ``process`` (each engine in a process of its own), ``runner`` (which engine decodes
which edit, and when), ``figures`` (medians and ratios), ``page`` (tables, plot, documentation), ``command`` (options,
and all of it in order). ``tests.gguf_writer`` and ``tests.openvino_writer`` make the formats that other engines read.

Nothing loads an engine but the files of ``peers/``, in their own processes.
"""
