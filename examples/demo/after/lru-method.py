"""A cache that forgets what was not used for longest, and what is too old."""

import time
from collections import OrderedDict
from threading import RLock

MISSING = object()


class LRUCache:
    """At most ``size`` entries, each for at most ``lifetime`` seconds."""

    def __init__(self, size=128, lifetime=None, clock=time.monotonic):
        if size < 1:
            raise ValueError("a cache holds at least one entry")
        self._size = size
        self._lifetime = lifetime
        self._clock = clock
        self._entries = OrderedDict()
        self._lock = RLock()
        self.hits = 0
        self.misses = 0

    def __len__(self):
        with self._lock:
            self._drop_old()
            return len(self._entries)

    def __contains__(self, key):
        with self._lock:
            self._drop_old()
            return key in self._entries

    def __setitem__(self, key, value):
        with self._lock:
            self._entries[key] = (value, self._clock())
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def get(self, key, default=None):
        """The value of ``key``, which counts as used, or ``default``."""
        with self._lock:
            self._drop_old()
            if key not in self._entries:
                self.misses += 1
                return default
            self.hits += 1
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def pop(self, key, default=MISSING):
        """Remove ``key`` and return its value; without a default a missing key is an error."""
        with self._lock:
            self._drop_old()
            if key in self._entries:
                value, _ = self._entries.pop(key)
                return value
        if default is MISSING:
            raise KeyError(key)
        return default

    def clear(self):
        with self._lock:
            self._entries.clear()
            self.hits = self.misses = 0

    def _drop_old(self):
        if self._lifetime is None:
            return
        oldest = self._clock() - self._lifetime
        expired = [key for key, (_, stored) in self._entries.items() if stored < oldest]
        for key in expired:
            del self._entries[key]


def cached(size=128, lifetime=None):
    """Decorator: remember the results of a function of hashable arguments."""

    def decorate(function):
        cache = LRUCache(size, lifetime)

        def wrapper(*arguments):
            result = cache.get(arguments, MISSING)
            if result is MISSING:
                result = cache[arguments] = function(*arguments)
            return result

        wrapper.cache = cache
        return wrapper

    return decorate
