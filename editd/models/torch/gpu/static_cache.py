"""Caches at fixed addresses: a few storages, and the sequences that take turns in them.

A recorded pass belongs to one storage, so there are only a few of them (seats), and they stay. The
cache of a closed sequence keeps its seat until another sequence needs it. Then it is parked: copied
into a storage of just its size, and copied back when it is needed again. Each is one copy on the device.
With two sequences open, a third gets a temporary storage.

Knows bytes and turns; what is worth keeping is left to ``PrefixCache``.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from editd.errors import OutOfMemory
from editd.models.loaded_model import PrefixCache
from editd.models.torch.gpu.storage import Layout, Storage

FIRST_BUCKET = 1024  # tokens
_BLOCK = 256  # parked caches are rounded up to it


def buckets_up_to(most: int, first: int = FIRST_BUCKET) -> tuple[int, ...]:
    """Powers of two from ``first``; the last holds ``most`` tokens and is no larger than needed."""
    buckets = []
    size = first
    while size < most:
        buckets.append(size)
        size *= 2
    last = -(-most // 512) * 512 if most > first else first
    return (*buckets, min(size, last))


@dataclass(eq=False, slots=True, weakref_slot=True)
class StaticCache:
    """One sequence in a storage: ``length`` valid tokens; what lies behind them is undefined.

    pool: whose storages these are. seat: its place there; ``None`` for a storage of its own.
    opened: a sequence is using it.
    """

    storage: Storage
    pool: StoragePool
    length: int = 0
    seat: Seat | None = None
    opened: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes that would be free without it; those of a seat stay where they are."""
        return 0 if self.seat is not None else self.storage.nbytes

    def reserve(self, length: int) -> None:
        """Make room for ``length`` tokens: nothing within a bucket, one copy into the next."""
        self.pool.reserve(self, length)

    def advance(self, count: int) -> None:
        """What the last pass wrote for its first ``count`` rows is valid from now on."""
        self.length += count

    def crop_to(self, length: int) -> None:
        """Only the first ``length`` tokens stay valid. Nothing is moved or freed."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot crop {self.length} cached tokens to {length}")
        self.length = length

    @torch.inference_mode()
    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Keep ``base`` tokens and then those at ``base + row``, in that order: one branch."""
        if list(rows) != list(range(len(rows))):
            self.storage.gather(base, rows)
        self.length = base + len(rows)

    def resume(self, length: int, capacity: int) -> StaticCache:
        """Itself, used again with its first ``length`` tokens."""
        self.crop_to(length)
        return self.pool.reopen(self, capacity)

    def copy_prefix(self, length: int, capacity: int) -> StaticCache:
        """A new cache that starts with the first ``length`` tokens of this one."""
        return self.pool.open_copy(self, length, capacity)

    @torch.inference_mode()
    def copy_from(self, source: StaticCache, length: int) -> None:
        """Hold what the first ``length`` tokens of ``source`` left: one copy."""
        self.storage.copy_from(source.storage, length)
        self.length = length

    @torch.inference_mode()
    def move_to(self, storage: Storage) -> None:
        """Go on in ``storage``: one copy."""
        storage.copy_from(self.storage, self.length)
        self.storage = storage


@dataclass(eq=False, slots=True)
class Seat:
    """A seat: its storage, and a weak hold on who sits there. ``turn``: when it was last given."""

    storage: Storage | None = None
    guest: weakref.ReferenceType[StaticCache] | None = None
    turn: int = 0

    @property
    def cache(self) -> StaticCache | None:
        """The cache that sits here, if it still does."""
        cache = self.guest() if self.guest else None
        return cache if cache is not None and cache.seat is self else None


class StoragePool:
    """The seats of one model.

    buckets: capacities, ascending. limit_bytes: of all storages together, parked ones included; 0:
    none.
    """

    def __init__(
        self,
        layout: Layout,
        buckets: Sequence[int],
        *,
        count: int = 2,
    ) -> None:
        self.layout = layout
        self.buckets = tuple(buckets)
        self.limit_bytes = 0
        self._seats = [Seat() for _ in range(count)]
        # Beside the seats. Replaced, never changed: ``nbytes`` is asked from other threads.
        self._own: list[weakref.ReferenceType[StaticCache]] = []
        self._initial = 0
        self._turn = 0
        self._prefixes: PrefixCache | None = None

    def bind(self, prefixes: PrefixCache) -> None:
        """Let ``prefixes`` be what keeps caches of closed sequences."""
        self._prefixes = prefixes

    def start_with(self, most_bytes: int) -> None:
        """Make new seats as large as ``most_bytes`` allow, so that they seldom move."""
        fitting = [b for b in self.buckets if b * self.layout.bytes_per_token <= most_bytes]
        self._initial = fitting[-1] if fitting else 0

    def limit(self, limit_bytes: int) -> None:
        """All storages together take no more than this; 0: as much as they need."""
        self.limit_bytes = limit_bytes
        if limit_bytes and self._initial:
            self.start_with(min(limit_bytes // 4, self._initial * self.layout.bytes_per_token))

    @property
    def nbytes(self) -> int:
        """Bytes of the seats, and of the storages of open sequences beside them."""
        storages = [seat.storage for seat in self._seats]
        seats = sum(storage.nbytes for storage in storages if storage is not None)
        own = [cache for reference in self._own if (cache := reference()) is not None]
        return seats + sum(
            cache.storage.nbytes for cache in own if cache.opened and cache.seat is None
        )

    def storages(self) -> list[Storage]:
        """Those at fixed addresses, the last used first."""
        seats = sorted(self._seats, key=lambda seat: -seat.turn)
        return [seat.storage for seat in seats if seat.storage is not None]

    def bucket(self, length: int) -> int:
        """The smallest bucket that holds ``length`` tokens."""
        for bucket in self.buckets:
            if length <= bucket:
                return bucket
        raise ValueError(f"{length} tokens are more than the largest bucket holds")

    def open(self, capacity: int) -> StaticCache:
        """An empty cache with room for ``capacity`` tokens."""
        seat = self._free_seat()
        if seat is None:
            cache = StaticCache(self._allocate(self.bucket(capacity)), self)
            self._seatless(cache)
            return cache
        return self._seated(StaticCache(self._room(seat, capacity), self), seat)

    def open_copy(self, source: StaticCache, length: int, capacity: int) -> StaticCache:
        """A separate cache that starts with the first ``length`` tokens of ``source``."""
        was_open, source.opened = source.opened, True  # it keeps its seat meanwhile
        try:
            cache = self.open(max(capacity, length))
        finally:
            source.opened = was_open
        cache.copy_from(source, length)
        return cache

    def reopen(self, cache: StaticCache, capacity: int) -> StaticCache:
        """Let a closed cache be used again: in its seat if it has one, else in a free one."""
        cache.opened = True
        if cache.seat is None and (seat := self._free_seat()) is not None:
            cache.move_to(self._room(seat, max(capacity, cache.length)))
            self._seated(cache, seat)
        elif cache.seat is None:
            self._seatless(cache)
        else:
            self._seated(cache, cache.seat)
        self.reserve(cache, capacity)
        return cache

    def reserve(self, cache: StaticCache, length: int) -> None:
        """Make room for ``length`` tokens: at most one copy into the next bucket."""
        if length <= cache.storage.capacity:
            return
        storage = self._allocate(self.bucket(length), instead_of=cache.storage)
        cache.move_to(storage)
        if cache.seat is not None:
            cache.seat.storage = storage  # what was recorded for the old one goes with it

    def closed(self, cache: StaticCache) -> None:
        """Mark it as unused; from now on only its tokens are kept."""
        cache.opened = False
        if cache.seat is None:
            self._park(cache)

    # --- seats -----------------------------------------------------------------------------------

    def _seated(self, cache: StaticCache, seat: Seat) -> StaticCache:
        self._turn += 1
        seat.turn, seat.guest = self._turn, weakref.ref(cache)
        cache.seat = seat
        return cache

    def _seatless(self, cache: StaticCache) -> None:
        """Count ``cache``, which has a storage of its own, while it is open."""
        others = [one for one in self._own if (held := one()) is not None and held is not cache]
        self._own = [*others, weakref.ref(cache)]

    def _free_seat(self) -> Seat | None:
        """An empty seat with a storage, else an empty one, else the one that waited longest."""
        empty = [seat for seat in self._seats if seat.cache is None]
        if empty:
            return max(empty, key=lambda seat: seat.storage is not None)
        for seat in sorted(self._seats, key=lambda seat: seat.turn):
            guest = seat.cache
            if guest is not None and not guest.opened:
                self._park(guest)
                return seat
        return None

    def _park(self, cache: StaticCache) -> None:
        """Move a closed cache out of its seat."""
        capacity = -(-max(cache.length, 1) // _BLOCK) * _BLOCK
        cache.move_to(Storage(self.layout, capacity))
        cache.seat = None
        if self.limit_bytes and self._prefixes is not None:
            self._prefixes.shrink(max(0, self.limit_bytes - self.nbytes))

    def _room(self, seat: Seat, capacity: int) -> Storage:
        """The seat's storage, empty and large enough."""
        if seat.storage is None or seat.storage.capacity < capacity:
            wanted = max(self.bucket(capacity), self._initial)
            seat.storage = self._allocate(wanted, instead_of=seat.storage)
        return seat.storage

    def _allocate(self, capacity: int, instead_of: Storage | None = None) -> Storage:
        """A storage within the limit. Raises ``OutOfMemory`` where it cannot be."""
        if self.limit_bytes:
            wanted = capacity * self.layout.bytes_per_token
            left = self._left(wanted, instead_of)
            if wanted > left:
                raise OutOfMemory(
                    f"The keys and values of {capacity:,} tokens take {_mebibytes(wanted)}, and "
                    f"{_mebibytes(max(0, left))} are left of what caches may take: edit fewer "
                    "lines at a time (--range), or raise daemon.memory."
                )
        return Storage(self.layout, capacity)

    def _left(self, wanted: int, instead_of: Storage | None) -> int:
        """Bytes that open sequences leave, after closed ones have made room for ``wanted``."""
        replaced = instead_of.nbytes if instead_of else 0
        parked = self._prefixes.nbytes if self._prefixes is not None else 0
        if self.nbytes - replaced + parked + wanted > self.limit_bytes:
            self.free_idle(instead_of)
        for seat in sorted(self._seats, key=lambda seat: seat.turn):
            if self.nbytes - replaced + wanted <= self.limit_bytes:
                break
            guest = seat.cache
            if guest is not None and not guest.opened and seat.storage is not instead_of:
                self._park(guest)
                seat.storage = None
        left = self.limit_bytes - self.nbytes + replaced
        if self._prefixes is not None:
            self._prefixes.shrink(max(0, left - wanted))
        return left

    def free_idle(self, instead_of: Storage | None = None) -> None:
        """Give back the storages of unused seats."""
        for seat in self._seats:
            if seat.cache is None and seat.storage is not instead_of:
                seat.storage = None


def _mebibytes(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MiB"
