"""Models behind one interface: what can be loaded, with which library, and what is kept in memory.

``model`` is the interface of a backend, ``registry`` finds the backend for a name, ``pool`` holds loaded
models. ``text`` is shared by all backends. Each library is used in its own package only.
"""

from editd.models.offline import prepare_imports

# Here, so that it comes before any library of a backend is imported, whichever module does that.
prepare_imports()
