// node report_page.mjs SCENARIO FILE [FOLDER]: what a browser makes of a report page.
// Playwright drives the Chromium of the system; DUET_NODE_MODULES is where npm has put it.
// A failed assertion ends with 1 and says what is wrong; what was measured is printed.
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const require = createRequire(process.env.DUET_NODE_MODULES + "/");
const {chromium} = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [, , scenario, file, folder] = process.argv;
const address = pathToFileURL(file).href;

const browser = await chromium.launch({
  executablePath: process.env.DUET_CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});

// A page that must neither complain nor ask for anything but files of its own folder.
async function open(options = {}, url = address) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", error => wrong.push(`script: ${error.message}`));
  page.on("console", message => {
    if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on("dialog", dialog => { wrong.push("a dialog"); dialog.dismiss(); });
  page.on("request", request => {
    if (!request.url().startsWith("file:")) wrong.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  page.wrong = wrong;
  return page;
}

const openAll = page => page.evaluate(() => {
  document.querySelectorAll("details").forEach(each => { each.open = true; });
});

// Nothing is wider than the window but what scrolls by itself.
async function assertFits(page, what) {
  const [content, window_] = await page.evaluate(() =>
    [document.scrollingElement.scrollWidth, innerWidth]);
  assert.ok(content <= window_, `${what}: ${content} pixels of content, ${window_} of window`);
}

async function assertAccessible(page, what) {
  // The policy of the page lets no script in: the debugger may.
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run());
  const serious = found.violations.filter(one => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(serious.map(one => `${one.id}: ${one.help}: ${one.nodes[0].html}`), [], what);
}

const scenarios = {
  // Both widths, light and dark, everything closed and everything open; printed.
  async looks() {
    for (const width of [360, 1600]) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await open({viewport: {width, height: 900}, colorScheme});
        const name = `${width}-${colorScheme}`;
        await assertFits(page, name);
        if (folder) await page.screenshot({path: `${folder}/${name}.png`, fullPage: true});
        await openAll(page);
        await page.waitForTimeout(100);
        await assertFits(page, `${name}, open`);
        if ((width === 360) === (colorScheme === "light")) { // it takes seconds
          await assertAccessible(page, `${name}, open`);
        }
        if (folder) await page.screenshot({path: `${folder}/${name}-open.png`, fullPage: true});
        assert.deepEqual(page.wrong, []);
        await page.context().close();
      }
    }
    const page = await open({colorScheme: "dark"});
    await page.emulateMedia({media: "print"});
    assert.equal(await page.isVisible("#tools button"), false, "buttons are printed");
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(255, 255, 255)", "paper is white");
    const paper = await page.pdf(folder ? {path: `${folder}/printed.pdf`} : {});
    assert.ok(paper.length > 5000, `a PDF of ${paper.length} bytes`);
  },

  // Overview, pictures and tables are there without the script.
  async noscript() {
    const page = await open({javaScriptEnabled: false});
    assert.ok(await page.locator("#changes tbody tr").count() >= 2);
    assert.equal(await page.locator("#changes tbody tr svg").count(),
      await page.locator("#changes tbody tr").count());
    await page.locator("details.benchmark > summary").first().click();
    const first = page.locator("details.benchmark").first();
    assert.ok(await first.locator("figure svg").count() >= 4);
    assert.ok(await first.locator("figure svg").first().isVisible());
    await first.locator("details.data > summary").first().click();
    assert.ok(await first.locator("details.data table").first().isVisible());
    for (const figure of await first.locator("figure").all()) {
      assert.ok(await figure.locator("table").count() + await figure.locator("p").count() > 0,
        "a picture without a table");
    }
  },

  async interaction() {
    const page = await open({viewport: {width: 1200, height: 900}});
    const column = n => page.$$eval("#changes tbody tr", (rows, i) =>
      rows.map(row => row.cells[i].dataset.key || row.cells[i].textContent), n);
    const worst = await column(1);
    assert.deepEqual(worst, [...worst].sort((a, b) => a - b), "the worst first");
    await page.click("#changes thead th:nth-child(1) button");
    const names = await column(0);
    assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, "en", {numeric: true})));
    assert.equal(await page.getAttribute("#changes thead th:nth-child(1)", "aria-sort"), "ascending");
    await page.focus("#changes thead th:nth-child(3) button");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const changes = (await column(2)).map(Number).filter(Number.isFinite);
    assert.deepEqual(changes, [...changes].sort((a, b) => b - a), "sorted downward by the keyboard");
    assert.equal(await page.getAttribute("#changes thead th:nth-child(3)", "aria-sort"), "descending");
    assert.equal(await page.getAttribute("#changes thead th:nth-child(1)", "aria-sort"), null);
    // A link of the overview opens its benchmark.
    const link = page.locator("#changes tbody a").first();
    const target = await link.getAttribute("href");
    await link.click();
    const benchmark = page.locator(target);
    await page.waitForSelector(`${target} canvas`);
    assert.equal(await benchmark.evaluate(element => element.open), true);
    const canvas = benchmark.locator("canvas");
    const inked = () => canvas.evaluate(element => {
      const {data} = element.getContext("2d").getImageData(0, 0, element.width, element.height);
      const colors = new Set();
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 250) colors.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
      }
      return ["0,114,178", "213,94,0", "0,138,101"].filter(each => colors.has(each)).length;
    });
    assert.equal(await inked(), 3, "old, new and ratio are drawn");
    const said = () => benchmark.locator("output").textContent();
    await canvas.focus();
    await page.keyboard.press("Home");
    assert.match(await said(), /^pair 1, run 1, old .*, new .*, change [+\u2212]/);
    await page.keyboard.press("ArrowRight");
    assert.match(await said(), /^pair 2,/);
    await page.keyboard.press("End");
    const last = await said();
    assert.match(last, /^pair 300, run 12,/);
    const image = () => canvas.evaluate(element => element.toDataURL());
    const whole = await image();
    await benchmark.getByRole("button", {name: "Zoom in"}).click();
    assert.notEqual(await image(), whole, "zooming changes the picture");
    await benchmark.getByRole("button", {name: "Show all"}).click();
    assert.equal(await image(), whole, "all is shown again");
    const taken = keys => canvas.evaluate((element, init) => !element.dispatchEvent(
      new KeyboardEvent("keydown", {cancelable: true, ...init})), keys);
    assert.equal(await taken({key: "+"}), true);
    assert.notEqual(await image(), whole, "a key zooms");
    for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
      for (const key of ["0", "-", "ArrowLeft"]) {
        assert.equal(await taken({key, [modifier]: true}), false, `${modifier} ${key} is the browser's`);
      }
    }
    assert.notEqual(await image(), whole, "the browser's keys change nothing");
    await canvas.press("0");
    assert.equal(await image(), whole, "a key shows all");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 3, box.y + 50);
    assert.notEqual(await said(), last, "the pointer reads");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 60, {steps: 3});
    await page.mouse.up();
    assert.notEqual(await image(), whole, "dragging zooms");
    await page.getByRole("button", {name: "Close all"}).click();
    assert.equal(await page.locator("details.benchmark[open]").count(), 0);
    await page.getByRole("button", {name: "Open all"}).click();
    assert.equal(await page.locator("details.benchmark:not([open])").count(), 0);
    assert.deepEqual(page.wrong, []);
  },

  // Of more runs than the page has the beginnings of, no pair is said to be of another one.
  async runs() {
    const page = await open({viewport: {width: 1200, height: 900}});
    await page.locator("canvas").focus();
    await page.keyboard.press("End");
    assert.match(await page.textContent("output"), /^pair 1200, old /);
    assert.deepEqual(page.wrong, []);
  },

  // Names that are markup are shown as they are.
  async hostile() {
    const page = await open();
    await openAll(page);
    await page.hover("#changes tbody tr >> nth=0");
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.equal(await page.locator("main img, main iframe, main form, main script").count(), 0);
    const text = await page.textContent("main");
    for (const name of JSON.parse(process.env.DUET_NAMES)) {
      assert.ok(text.includes(name), `${name} is not shown`);
    }
    assert.deepEqual(page.wrong, []);
    // And if one were not, the policy would stop it.
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.harmed = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.harmed), undefined, "the policy lets scripts in");
  },

  async large() {
    const begin = performance.now();
    const page = await open({viewport: {width: 1600, height: 900}});
    const opened = performance.now() - begin;
    assert.equal(await page.locator("details.benchmark").count(), 100);
    await page.locator("details.benchmark > summary").nth(50).click();
    await page.waitForSelector("details.benchmark[open] canvas");
    const drawn = performance.now() - begin;
    assert.deepEqual(page.wrong, []);
    console.log(`opened in ${Math.round(opened)} ms, a benchmark in it after ${Math.round(drawn)} ms`);
  },

  async site() {
    const page = await open({viewport: {width: 1200, height: 900}});
    await assertAccessible(page, "index");
    const reports = page.locator("#reports ~ .scroll tbody tr");
    const dates = await page.$$eval("section:first-of-type tbody time", times =>
      times.map(time => time.dateTime));
    assert.deepEqual(dates, [...dates].sort().reverse(), "the newest first");
    assert.ok(await reports.count() >= 2);
    await reports.first().locator("a").click();
    await page.waitForSelector("#changes");
    await page.locator("details.benchmark > summary").first().click({force: true});
    await openAll(page);
    await page.locator("details.benchmark a", {hasText: "All measurements"}).first().click();
    await page.waitForURL(/index\.html#h\d+$/);
    const history = page.locator(new URL(page.url()).hash);
    assert.equal(await history.evaluate(element => element.open), true);
    assert.ok(await history.locator("svg.duet-plot").isVisible());
    await assertAccessible(page, "history");
    await history.locator("tbody a").first().click();
    await page.waitForURL(/report-.*#b\d+$/);
    await page.locator("nav a").click();
    await page.waitForURL(/index\.html$/);
    if (folder) await page.screenshot({path: `${folder}/site.png`, fullPage: true});
    assert.deepEqual(page.wrong, []);
  },
};

let status = 0;
try {
  await scenarios[scenario]();
} catch (error) {
  console.error(error.message);
  status = 1;
}
await browser.close();
process.exit(status);
