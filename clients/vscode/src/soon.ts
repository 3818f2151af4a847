// Work that is delayed, and waiting. Knows no editor.

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

/** Wait until `holds`, asked anew at each event of `on`; or until the time is over. */
export async function eventually(
  holds: () => boolean,
  on: (listener: () => void) => { dispose(): unknown },
  milliseconds: number,
): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, milliseconds);
    const listening = on(() => holds() && finish());
    function finish(): void {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    }
  });
}
