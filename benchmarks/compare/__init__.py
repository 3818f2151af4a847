"""``python -m benchmarks compare``: the same edits and the same weights, decoded by editd and by its peers.

Reading order: ``cases`` (what is asked), ``model`` (the checkpoint that everybody reads), ``peer``
(what every engine looks like from here), ``peers/`` (one short file each), ``worker`` and
``process`` (each engine in a process of its own), ``runner`` (who decodes what, and when),
``figures`` (medians and ratios), ``report`` and ``page`` (the table, the plot, the documentation),
``comparison`` (all of it in order).
``conversions``, ``gguf_file`` and ``openvino_ir`` make the formats that other engines read.

Nothing here loads an engine; only the files of ``peers/`` do, in their own processes.
"""
