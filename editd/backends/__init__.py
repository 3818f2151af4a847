"""Models behind one seam: what can be loaded, by which library it runs, and who holds it in memory.

``model`` says what a backend brings, ``registry`` finds the one that a name asks for, ``pool`` holds
what was loaded. ``text`` is for all backends; a library is known in its own room alone.
"""

from editd.backends.offline import prepare_imports

# Here, so that it comes before any library of a backend is imported, whichever module does that.
prepare_imports()
