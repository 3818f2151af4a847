// `@` in the instruction box, with real keys: what is offered, chosen and sent.
import { SHOTS, until } from "./editor.mjs";
import { bar, openBox } from "./page.mjs";

export const title = "mentions";

export const world = {
  files: {
    "cart.py": "def load_cart():\n    return 1\n",
    "util.py": "def load_settings():\n    return 2\n",
    "utmost.py": "x = 1\n",
    "two words.py": "x = 2\n",
    ".gitignore": "utignored.py\n",
    "utignored.py": "x = 3\n",
  },
  settings: { "editd.warmUp": "never" },
  words: true,
};

export async function run(bench, checks) {
  const page = await bench.window("cart.py");
  await bar(page, /editd$/);
  const box = page.locator(".quick-input-widget input.input");
  const rows = page.locator(".quick-input-list .monaco-list-row");
  const holds = async (value, what) => {
    await until(async () => (await box.inputValue()) === value, what, 20).catch(() => {});
    checks.check((await box.inputValue()) === value, what, await box.inputValue());
  };
  const offered = async (...names) => {
    await rows.filter({ hasText: names[0] }).first().waitFor();
    await until(async () => (await rows.count()) === names.length, names, 20).catch(() => {});
    const labels = await rows.locator(".label-name").allInnerTexts();
    checks.check(
      labels.length === names.length && names.every((name) => labels.includes(name)),
      `${names.join(", ")} offered`,
      labels.join(),
    );
  };

  await openBox(page);
  checks.check((await rows.count()) === 0, "nothing is offered before an @");
  await page.screenshot({ path: `${SHOTS}/mentions-box.png` });
  await page.keyboard.type("rename @load_cart");
  await page.keyboard.press("Backspace");
  await offered("@load_cart");
  await page.keyboard.press("Enter");
  await holds("rename @load_cart ", "Enter puts the definition in");
  await page.keyboard.type("as in @ut");
  await offered("@util.py", "@utmost.py");
  await page.screenshot({ path: `${SHOTS}/mentions-list.png` });
  const second = (await rows.locator(".label-name").allInnerTexts())[1];
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await holds(`rename @load_cart as in ${second} `, "Down chooses another");
  await page.keyboard.type("and @two");
  await offered('@"two words.py"');
  await page.keyboard.press("Enter");
  await holds(`rename @load_cart as in ${second} and @"two words.py" `, "a name with a blank is quoted");
  await page.keyboard.press("Escape");

  // A name that is typed in full is no choice: Enter sends.
  const sent = "Be as nice as @util.py"; // which the embedded model refuses
  await openBox(page);
  await page.keyboard.type(sent);
  await page.waitForTimeout(500);
  await page.keyboard.press("Enter");
  await box.waitFor({ state: "hidden" });
  await page.locator(".notification-list-item-message").first().waitFor();
  await openBox(page);
  await page.keyboard.press("ArrowUp");
  await holds(sent, "it was sent, and Up brings it");
  await page.keyboard.press("ArrowDown");
  await holds("", "Down goes back");
  await page.keyboard.press("Escape");
}
