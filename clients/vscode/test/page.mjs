// What a person does and sees in a window of VS Code: keys, marks, the status bar, notifications.

/**
 * Records in the page what is shown for a moment only, by observers: nobody polls that fast.
 * `window.__seen`: texts of the status bar item and of notifications, numbers of painted marks.
 */
export function record(page) {
  return page.evaluate((ghost) => {
    const seen = (globalThis.__seen = { status: [], toasts: [], ghosts: [] });
    const note = (list, value) => list.at(-1) !== value && list.push(value);
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(() => {
      const items = [...document.querySelectorAll(".part.statusbar .statusbar-item")];
      const texts = items.map((item) => item.textContent).filter((item) => item.includes("editd"));
      if (texts.length) note(seen.status, texts.join(" | "));
      for (const toast of document.querySelectorAll(".notification-list-item-message"))
        if (!seen.toasts.includes(toast.textContent)) seen.toasts.push(toast.textContent);
      note(seen.ghosts, document.querySelectorAll(`.editor-instance ${ghost}`).length);
    }).observe(document.body, all);
  }, GHOST);
}

/** What was recorded up to now. */
export function seen(page) {
  return page.evaluate(() => globalThis.__seen);
}

/** Something that a hunk paints. */
const GHOST = '.view-line span[class*="ced-"]';

/** Until at least `count` marks are painted. */
export function ghosts(page, count) {
  return page.waitForFunction(
    ([ghost, least]) => document.querySelectorAll(`.editor-instance ${ghost}`).length >= least,
    [GHOST, count],
    { polling: "raf" },
  );
}

/** Until no mark is painted. */
export function gone(page) {
  return page.waitForFunction((ghost) => !document.querySelector(`.editor-instance ${ghost}`), GHOST);
}

/** The status bar item of editd, once it says what `text` matches. */
export function bar(page, text) {
  return page.locator(".statusbar-item", { hasText: text }).waitFor();
}

/**
 * Opens a file through quick open, until its tab is the active one. Tries again if the box was closed meanwhile, as a
 * proposal does that ends just then: Enter went elsewhere.
 */
export async function openFile(page, file) {
  const tab = page.locator(`.tab.active[data-resource-name="${file.split("/").at(-1)}"]`);
  const row = page.locator(".quick-input-list .monaco-list-row.focused", { hasText: file });
  const timeout = 30_000;
  for (let tries = 3; ; tries--) {
    try {
      await page.keyboard.press("Control+P");
      await page.locator(".quick-input-widget input.input").waitFor({ timeout });
      await page.keyboard.type(file);
      await row.waitFor({ timeout });
      await page.keyboard.press("Enter");
      await page.locator(".quick-input-widget").waitFor({ state: "hidden", timeout });
      await tab.waitFor({ timeout });
      break;
    } catch (error) {
      if (tries === 1) throw error;
      await page.keyboard.press("Escape");
    }
  }
  await page.locator(".editor-instance .view-lines .view-line").first().waitFor();
}

/** Runs a command by its title. */
export async function palette(page, title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input.input").waitFor();
  await page.keyboard.type(title);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** Opens the instruction box, and leaves it open. */
export async function openBox(page) {
  await page.keyboard.press("Control+Alt+R");
  await page.locator(".quick-input-title", { hasText: "editd: rewrite" }).waitFor();
}

export async function ask(page, instruction) {
  await openBox(page);
  await page.keyboard.type(instruction);
  await page.keyboard.press("Enter");
}

/**
 * Until the editor's title has a button for it, and its key works too. Hunks are painted and counted a
 * moment before that.
 */
export function offered(page, title) {
  return page.locator(`.editor-actions .action-label[aria-label^="${title}"]`).waitFor();
}

/** Accepts all hunks by key, until they are in the text: a save any earlier would be one without them. */
export async function acceptAll(page) {
  await offered(page, "Accept All Hunks");
  await page.keyboard.press("Shift+Alt+Enter");
  await page.locator(".tab.active.dirty").waitFor();
}

/** What the editor shows, ghosts and all. */
export async function text(page) {
  const lines = await page.locator(".editor-instance .view-lines .view-line").allInnerTexts();
  return lines.join("\n").replace(/\u00a0/g, " ");
}

/** Whether a file has changes that are not saved. */
export async function isDirty(page) {
  return (await page.locator(".tab.dirty").count()) > 0;
}
