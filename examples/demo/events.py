"""Publish and subscribe inside one process, with patterns such as ``user.*``."""

import fnmatch
import logging
import weakref
from collections import defaultdict
from contextlib import contextmanager

logger = logging.getLogger(__name__)


class Subscription:
    """What ``subscribe`` returns; closing it ends the calls."""

    def __init__(self, bus, pattern, handler):
        self._bus = weakref.ref(bus)
        self.pattern = pattern
        self.handler = handler

    def close(self):
        bus = self._bus()
        if bus is not None:
            bus.unsubscribe(self)


class Bus:
    """Handlers are called in the order in which they subscribed."""

    def __init__(self):
        self._subscriptions = defaultdict(list)
        self._muted = set()

    def subscribe(self, pattern, handler):
        subscription = Subscription(self, pattern, handler)
        self._subscriptions[pattern].append(subscription)
        return subscription

    def unsubscribe(self, subscription):
        remaining = self._subscriptions.get(subscription.pattern, [])
        if subscription in remaining:
            remaining.remove(subscription)

    @contextmanager
    def muted(self, topic):
        """Nothing about ``topic`` is published inside the block."""
        self._muted.add(topic)
        try:
            yield
        finally:
            self._muted.discard(topic)

    def matching(self, topic):
        for pattern, subscriptions in list(self._subscriptions.items()):
            if fnmatch.fnmatchcase(topic, pattern):
                yield from list(subscriptions)

    def publish(self, topic, **details):
        """Call all handlers of ``topic``; one that fails does not stop the others."""
        if topic in self._muted:
            return 0
        called = 0
        for subscription in self.matching(topic):
            try:
                subscription.handler(topic, **details)
            except Exception:
                logger.exception("handler of %s failed on %s", subscription.pattern, topic)
            else:
                called += 1
        return called
