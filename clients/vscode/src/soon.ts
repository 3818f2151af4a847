// Work that is delayed and done at most once in a while. Knows no editor.

/**
 * `work`, at most once in `milliseconds`, and that long after the first call.
 *
 * Menus and the status bar are built anew when what they show changes. The window does that in the
 * same thread that paints text, and the first hunk must not wait for it.
 */
export function soon(work: () => void, milliseconds = 50): { (): void; dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const call = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      work();
    }, milliseconds);
  };
  return Object.assign(call, { dispose: () => clearTimeout(timer) });
}

/** `work`, once nobody has called for `milliseconds`. */
export function debounced(work: () => void, milliseconds: number): { (): void; dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const call = (): void => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
  return Object.assign(call, { dispose: () => clearTimeout(timer) });
}
