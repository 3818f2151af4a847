"""Reads a paste: its form, its code blocks or old lines, the file that each is for, and the damage of copying taken back.

``recognise`` is the entry. ``patches`` and ``search_replace`` read old lines with new ones (``substitutions``),
``fences`` code blocks, ``file_names`` whose each part is. ``segments`` cuts a sketch at its ``markers``.
"""
