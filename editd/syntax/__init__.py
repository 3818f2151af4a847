"""What a text's source code is made of, read once for everybody: containers and their members.

A leaf: nothing else of editd is imported, but for other leaves. ``members`` is what callers use; ``containers`` is the
model, and every other module reads one way of writing it.
"""
