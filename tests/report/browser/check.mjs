// Opens pages in headless Chromium and checks what a reader relies on.
//   node check.mjs CHROMIUM PAGE... [--screenshots DIR]
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--screenshots");
const shots = at < 0 ? null : words.splice(at, 2)[1];
const [program, ...pages] = words;
let failures = 0;

function expect(good, what) {
  if (good) return;
  failures += 1;
  console.log(`FAILED ${what}`);
}

const quietly = (tab, page) => {
  expect(tab.complaints.length === 0, `${page}: the console is silent: ${tab.complaints.join(" | ")}`);
  const outside = tab.requests.filter((url) => !/^(file|data|blob|about):/.test(url));
  expect(outside.length === 0, `${page}: no request leaves the page: ${outside.join(" ")}`);
};

// Marks of each picture: what Vega drew that has a size on the screen.
const marksPerFigure = `[...document.querySelectorAll(".figure")].map((figure) => ({
  id: figure.dataset.figure,
  marks: [...figure.querySelectorAll('svg [class*="role-mark"] :is(path, text, rect, line)')]
    .filter((each) => { const box = each.getBoundingClientRect(); return box.width + box.height > 0; }).length,
  label: (figure.querySelector('[role="img"]').getAttribute("aria-label") ?? "").length,
  width: figure.querySelector("svg")?.getBoundingClientRect().width ?? 0,
  broken: [...figure.querySelectorAll("svg [d]")].filter((each) => /NaN|undefined|Infinity/.test(each.getAttribute("d"))).length,
}))`;

async function drawn(tab, page, width, height) {
  await tab.size(width, height);
  await tab.open(page);
  await tab.until("document.documentElement.dataset.drawn !== undefined");
  const figures = await tab.value(marksPerFigure);
  for (const figure of figures) {
    const name = `${basename(page)} at ${width}: figure ${figure.id}`;
    expect(figure.marks > 0, `${name} has marks`);
    expect(figure.broken === 0, `${name} has no broken path`);
    expect(figure.label > 0, `${name} has a text alternative`);
    expect(figure.width <= width, `${name} fits: ${figure.width}`);
  }
  const wide = await tab.value("document.documentElement.scrollWidth");
  expect(wide <= width, `${basename(page)} at ${width}: no horizontal scrolling, ${wide} wide`);
  quietly(tab, `${basename(page)} at ${width}`);
  return figures.length;
}

// The links and buttons give files without asking anybody.
async function saved(tab, page) {
  const files = await tab.value(`(async () => {
    const made = [];
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[download]");
      if (link) { event.preventDefault(); made.push([link.download, link.href]); }
    });
    HTMLAnchorElement.prototype.click = function () { made.push([this.download, this.href]); };
    for (const link of document.querySelectorAll("a[download]")) link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    for (const button of document.querySelectorAll(".figure .save button")) button.click();
    for (let i = 0; i < 100 && made.length < document.querySelectorAll("a[download], .figure .save button").length; ++i)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return made;
  })()`);
  const wanted = await tab.value('document.querySelectorAll("a[download], .figure .save button").length');
  expect(files.length === wanted, `${page}: ${wanted} files can be saved, ${files.length} were`);
  for (const [name, address] of files) {
    const kind = { csv: /^blob:/, svg: /^data:image\/svg|^blob:/, png: /^data:image\/png/ }[
      name.split(".").pop()
    ];
    expect(kind?.test(address), `${page}: ${name} is inside the page: ${address.slice(0, 60)}`);
  }
}

async function printed(tab, page, figures) {
  await tab.send("Emulation.setEmulatedMedia", { media: "print" });
  const shown = await tab.value(
    `[...document.querySelectorAll(".figure svg")].filter((each) => each.getBoundingClientRect().height > 0).length`,
  );
  expect(shown === figures, `${page}: ${shown} of ${figures} pictures in print`);
  const tools = await tab.value(
    `[...document.querySelectorAll(".save, .files, details:not([open])")].filter((each) => each.getBoundingClientRect().height > 0).length`,
  );
  expect(tools === 0, `${page}: no menu in print`);
  const pdf = await tab.pdf();
  const count = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
  expect(count > 0 && pdf.length > 20000, `${page}: prints, ${count} sheets, ${pdf.length} bytes`);
  await tab.send("Emulation.setEmulatedMedia", { media: "" });
  return pdf;
}

async function withoutScript(browser, page) {
  const tab = await browser.tab();
  await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
  await tab.size(1200, 900);
  await tab.open(page);
  const { root } = await tab.send("DOM.getDocument", { depth: 0 });
  const text = async (selector) => {
    const { nodeIds } = await tab.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
    const boxes = [];
    for (const nodeId of nodeIds.slice(0, 5))
      boxes.push(
        await tab.send("DOM.getBoxModel", { nodeId }).then(
          ({ model }) => model.height > 0,
          () => false,
        ),
      );
    return boxes.some(Boolean);
  };
  for (const what of ["h1", "main p", "summary", "noscript .note"])
    expect(await text(what), `${basename(page)} without JavaScript shows ${what}`);
  expect(
    !(await text(".script-only")),
    `${basename(page)} without JavaScript offers nothing that needs it`,
  );
  quietly(tab, `${basename(page)} without JavaScript`);
  return tab;
}

const browser = new Chromium(program);
try {
  if (shots) mkdirSync(shots, { recursive: true });
  for (const file of pages) {
    const page = pathToFileURL(resolve(file)).href,
      name = basename(file, ".html");
    const tab = await browser.tab();
    const keep = (suffix, data) => shots && writeFileSync(join(shots, `${name}-${suffix}`), data);
    await drawn(tab, page, 360, 740);
    if (shots) keep("360.png", await tab.screenshot());
    const figures = await drawn(tab, page, 1200, 900);
    if (shots) keep("1200.png", await tab.screenshot());
    expect(await tab.value("window.escaped === undefined"), `${name}: text is not run`);
    await saved(tab, name);
    keep("print.pdf", await printed(tab, name, figures));
    quietly(tab, name);
    await withoutScript(browser, page);
    console.log(`${name}: ${figures} pictures`);
  }
} catch (error) {
  expect(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
