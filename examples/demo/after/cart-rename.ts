// Shopping cart: items, discounts and the total in cents.

export interface CartItem {
  sku: string;
  title: string;
  cents: number;
  count: number;
}

export type Discount = (items: readonly CartItem[]) => number;

export class CartError extends Error {
  constructor(
    message: string,
    readonly item?: CartItem,
  ) {
    super(message);
    this.name = "CartError";
  }
}

export function subtotal(items: readonly CartItem[]): number {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}

/** Ten percent off when the cart is worth at least `minimum`. */
export function tenPercentOff(minimum: number): Discount {
  return (items) => {
    const sum = subtotal(items);
    return sum >= minimum ? Math.round(sum / 10) : 0;
  };
}

/** Every third piece of the same item is free. */
export const threeForTwo: Discount = (items) =>
  items.reduce((sum, item) => sum + Math.floor(item.count / 3) * item.cents, 0);

export class Cart {
  private readonly items = new Map<string, CartItem>();

  constructor(private readonly discounts: Discount[] = []) {}

  add(item: CartItem): void {
    if (item.count <= 0) {
      throw new CartError(`count of ${item.title} must be positive`, item);
    }
    const known = this.items.get(item.sku);
    if (known === undefined) {
      this.items.set(item.sku, { ...item });
    } else if (known.cents !== item.cents) {
      throw new CartError(`${item.title} has two prices`, item);
    } else {
      known.count += item.count;
    }
  }

  remove(sku: string, count = Infinity): CartItem | undefined {
    const known = this.items.get(sku);
    if (known === undefined) {
      return undefined;
    }
    known.count -= Math.min(count, known.count);
    if (known.count === 0) {
      this.items.delete(sku);
    }
    return known;
  }

  list(): CartItem[] {
    return [...this.items.values()].sort((a, b) => a.title.localeCompare(b.title));
  }

  total(): number {
    const items = this.list();
    const best = Math.max(0, ...this.discounts.map((discount) => discount(items)));
    return subtotal(items) - best;
  }
}

export function format(cents: number, currency = "€"): string {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}

export function receipt(cart: Cart): string {
  const width = Math.max(...cart.list().map((item: CartItem) => item.title.length), 5);
  const lines = cart
    .list()
    .map((item: CartItem) => `${item.title.padEnd(width)} ${item.count} × ${format(item.cents)}`);
  return [...lines, `${"Total".padEnd(width)} ${format(cart.total())}`].join("\n");
}
