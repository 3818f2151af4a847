"""Stock of a small shop: what is on the shelf, what it is worth, what must be ordered."""

import csv
from dataclasses import dataclass, field


@dataclass
class Item:
    """One kind of thing on the shelf."""

    sku: str
    name: str
    price: float
    qty: int = 0
    reorder_at: int = 5
    tags: list[str] = field(default_factory=list)

    def value(self):
        return round(self.price * self.qty, 2)

    def is_low(self):
        return self.qty <= self.reorder_at


class OutOfStock(Exception):
    """More was asked for than there is."""

    def __init__(self, sku, wanted, qty):
        super().__init__(f"{sku}: wanted {wanted}, only {qty} left")
        self.sku = sku
        self.wanted = wanted
        self.qty = qty


class Inventory:
    """All items by their stock-keeping unit."""

    def __init__(self, items=()):
        self._items = {item.sku: item for item in items}

    def __len__(self):
        return len(self._items)

    def __contains__(self, sku):
        return sku in self._items

    def get(self, sku):
        try:
            return self._items[sku]
        except KeyError:
            raise KeyError(f"no item with sku {sku!r}") from None

    def receive(self, sku, qty):
        """A delivery arrived."""
        if qty <= 0:
            raise ValueError("a delivery brings at least one piece")
        self.get(sku).qty += qty

    def sell(self, sku, qty=1):
        """Hand out ``qty`` pieces and return what they cost."""
        item = self.get(sku)
        if item.qty < qty:
            raise OutOfStock(sku, qty, item.qty)
        item.qty -= qty
        return round(item.price * qty, 2)

    def low_items(self):
        low = [item for item in self._items.values() if item.is_low()]
        return sorted(low, key=lambda item: (item.qty, item.name))

    def total_value(self):
        return round(sum(item.value() for item in self._items.values()), 2)


def read_csv(path):
    """An inventory from a file with the columns sku, name, price, qty."""
    items = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            items.append(
                Item(
                    sku=row["sku"].strip(),
                    name=row["name"].strip(),
                    price=float(row["price"]),
                    qty=int(row["qty"] or 0),
                )
            )
    return Inventory(items)


def print_table(inventory, skus):
    for sku in skus:
        item = inventory.get(sku)
        mark = "!" if item.is_low() else " "
        print(f"{mark} {item.sku:<10} {item.name:<24} {item.qty:>5} {item.value():>10.2f}")


def order_list(inventory, pack_size=12):
    """How many packs of each low item to order, as ``{sku: packs}``."""
    order = {}
    for item in inventory.low_items():
        missing = 2 * item.reorder_at - item.qty
        order[item.sku] = max(1, -(-missing // pack_size))
    return order
