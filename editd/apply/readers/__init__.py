"""How changed lines get their location in the file: by old lines, alignment, names, keys, prose or likeness (``answer``)."""
