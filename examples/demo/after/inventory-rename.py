"""Stock of a small shop: what is on the shelf, what it is worth, what must be ordered."""

import csv
from dataclasses import dataclass, field


@dataclass
class Item:
    """One kind of thing on the shelf."""

    sku: str
    name: str
    price: float
    quantity: int = 0
    reorder_at: int = 5
    tags: list[str] = field(default_factory=list)

    def value(self):
        return round(self.price * self.quantity, 2)

    def is_low(self):
        return self.quantity <= self.reorder_at


class OutOfStock(Exception):
    """More was asked for than there is."""

    def __init__(self, sku, wanted, quantity):
        super().__init__(f"{sku}: wanted {wanted}, only {quantity} left")
        self.sku = sku
        self.wanted = wanted
        self.quantity = quantity


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

    def receive(self, sku, quantity):
        """A delivery arrived."""
        if quantity <= 0:
            raise ValueError("a delivery brings at least one piece")
        self.get(sku).quantity += quantity

    def sell(self, sku, quantity=1):
        """Hand out ``quantity`` pieces and return what they cost."""
        item = self.get(sku)
        if item.quantity < quantity:
            raise OutOfStock(sku, quantity, item.quantity)
        item.quantity -= quantity
        return round(item.price * quantity, 2)

    def low_items(self):
        low = [item for item in self._items.values() if item.is_low()]
        return sorted(low, key=lambda item: (item.quantity, item.name))

    def total_value(self):
        return round(sum(item.value() for item in self._items.values()), 2)


def read_csv(path):
    """An inventory from a file with the columns sku, name, price, quantity."""
    items = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            items.append(
                Item(
                    sku=row["sku"].strip(),
                    name=row["name"].strip(),
                    price=float(row["price"]),
                    quantity=int(row["quantity"] or 0),
                )
            )
    return Inventory(items)


def print_table(inventory, skus):
    for sku in skus:
        item = inventory.get(sku)
        mark = "!" if item.is_low() else " "
        print(f"{mark} {item.sku:<10} {item.name:<24} {item.quantity:>5} {item.value():>10.2f}")


def order_list(inventory, pack_size=12):
    """How many packs of each low item to order, as ``{sku: packs}``."""
    order = {}
    for item in inventory.low_items():
        missing = 2 * item.reorder_at - item.quantity
        order[item.sku] = max(1, -(-missing // pack_size))
    return order
