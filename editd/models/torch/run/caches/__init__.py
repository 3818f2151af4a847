"""Keys and values: caches that grow, caches at fixed addresses, and prefixes kept for later."""
