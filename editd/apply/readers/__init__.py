"""Readers: each finds where lines of a paste belong in the file, and how confidently. ``answer`` has the table of their order.

``in_file_order`` chooses between ``by_alignment`` and ``by_names`` (``name_segments``). ``new_code``, ``new_imports``
and ``prose_locations`` are for lines that the file has not, ``placeholders`` for comments that stand for code.
``by_keys`` brings members of a container (``containers``, ``member_edits``, ``member_texts``, ``new_members``).
``by_old_lines`` is for diffs and search/replace blocks.
"""
