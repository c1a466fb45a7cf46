// Opens pages in headless Chromium and checks what a reader relies on.
//   node check.mjs CHROMIUM AXE PAGE... [--screenshots DIR]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--screenshots");
const shots = at < 0 ? null : words.splice(at, 2)[1];
const [program, axeFile, ...pages] = words;
const axe = readFileSync(axeFile, "utf8");
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

// Marks of each picture that have a size on the screen, in the one layout that is shown.
const marksPerFigure = `[...document.querySelectorAll(".figure")].map((figure) => {
  const shown = [...figure.querySelectorAll("svg")].filter((each) => each.getBoundingClientRect().width > 0);
  const [svg] = shown;
  const box = svg?.getBoundingClientRect();
  const texts = [...(svg?.querySelectorAll("text") ?? [])].map((each) => each.getBoundingClientRect());
  return {
    id: figure.id,
    layouts: shown.length,
    marks: [...(svg?.querySelectorAll("path, rect, line, circle") ?? [])]
      .filter((each) => { const mark = each.getBoundingClientRect(); return mark.width + mark.height > 0; }).length,
    label: (svg?.querySelector("title")?.textContent ?? "").length + (svg?.querySelector("desc")?.textContent ?? "").length,
    width: box?.width ?? 0,
    outside: texts.filter((each) => each.left < box.left - 1 || each.right > box.right + 1 || each.bottom > box.bottom + 1).length,
    broken: [...figure.querySelectorAll("svg [d]")].filter((each) => /nan|inf|undefined/i.test(each.getAttribute("d"))).length,
  };
})`;

async function drawn(tab, page, width, height) {
  await tab.size(width, height);
  await tab.open(page);
  const figures = await tab.value(marksPerFigure);
  for (const figure of figures) {
    const name = `${basename(page)} at ${width}: ${figure.id}`;
    expect(figure.layouts === 1, `${name} is shown once: ${figure.layouts}`);
    expect(figure.marks > 0, `${name} has marks`);
    expect(figure.broken === 0, `${name} has no broken path`);
    expect(figure.label > 0, `${name} has a text alternative`);
    expect(figure.width <= width, `${name} fits: ${figure.width}`);
    expect(figure.outside === 0, `${name} cuts off ${figure.outside} texts`);
  }
  const wide = await tab.value("document.documentElement.scrollWidth");
  expect(wide <= width, `${basename(page)} at ${width}: no horizontal scrolling, ${wide} wide`);
  quietly(tab, `${basename(page)} at ${width}`);
  return figures.length;
}

// No serious finding of axe-core, also not in contrast.
async function readable(tab, page, how) {
  await tab.value(axe);
  const found = await tab.value(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(
    ({ id, impact, help, nodes }) => ({ id, impact, help, where: nodes.slice(0, 3).map((each) => each.html.slice(0, 160)) })))`);
  for (const one of found)
    expect(!["serious", "critical"].includes(one.impact), `${page} ${how}: axe ${one.id}: ${one.help}: ${one.where.join(" | ")}`);
  return found.length;
}

// What links save is in the page: CSV, and pictures that are whole by themselves.
async function saved(tab, page) {
  const files = await tab.value(`[...document.querySelectorAll("a[download]")].map((link) => {
    const text = new TextDecoder().decode(Uint8Array.from(atob(link.href.split(";base64,")[1] ?? ""), (c) => c.charCodeAt(0)));
    const svg = link.download.endsWith(".svg");
    const parsed = svg ? new DOMParser().parseFromString(text, "image/svg+xml") : null;
    return { name: link.download, inside: link.href.startsWith("data:"), good: text.length > 10 && !parsed?.querySelector("parsererror") };
  })`);
  expect(files.length > 0, `${page}: something can be saved`);
  for (const file of files) {
    expect(file.inside, `${page}: ${file.name} is inside the page`);
    expect(file.good, `${page}: ${file.name} is whole`);
  }
}

async function printed(tab, page, figures) {
  await tab.send("Emulation.setEmulatedMedia", { media: "print" });
  const shown = await tab.value(
    `[...document.querySelectorAll(".figure svg")].filter((each) => each.getBoundingClientRect().height > 0).length`,
  );
  expect(shown === figures, `${page}: ${shown} of ${figures} pictures in print`);
  const tools = await tab.value(
    `[...document.querySelectorAll(".files, details:not([open])")].filter((each) => each.getBoundingClientRect().height > 0).length`,
  );
  expect(tools === 0, `${page}: no menu in print`);
  const pdf = await tab.pdf();
  const count = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
  expect(count > 0 && pdf.length > 20000, `${page}: prints, ${count} sheets, ${pdf.length} bytes`);
  await readable(tab, page, "in print");
  await tab.send("Emulation.setEmulatedMedia", { media: "" });
  return pdf;
}

// There is nothing to run, and a page shows all of itself where nothing may.
async function withoutScript(browser, page, figures) {
  const tab = await browser.tab();
  await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
  await tab.size(1280, 900);
  await tab.open(page);
  const { root } = await tab.send("DOM.getDocument", { depth: 0 });
  const shown = async (selector) => {
    const { nodeIds } = await tab.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
    let count = 0;
    for (const nodeId of nodeIds)
      count += await tab.send("DOM.getBoxModel", { nodeId }).then(
        ({ model }) => Number(model.height > 0),
        () => 0,
      );
    return count;
  };
  for (const what of ["h1", "main p", "summary"])
    expect((await shown(what)) > 0, `${basename(page)} without JavaScript shows ${what}`);
  const pictures = await shown("svg");
  expect(pictures === figures, `${basename(page)} without JavaScript shows ${pictures} of ${figures} pictures`);
  quietly(tab, `${basename(page)} without JavaScript`);
}

const scheme = (tab, value) =>
  tab.send("Emulation.setEmulatedMedia", { media: "", features: [{ name: "prefers-color-scheme", value }] });

const browser = new Chromium(program);
try {
  if (shots) mkdirSync(shots, { recursive: true });
  for (const file of pages) {
    const page = pathToFileURL(resolve(file)).href,
      name = basename(file, ".html");
    const tab = await browser.tab();
    const keep = (suffix, data) => shots && writeFileSync(join(shots, `${name}-${suffix}`), data);
    let figures = 0;
    for (const width of [390, 1280]) {
      for (const colours of ["dark", "light"]) {
        await scheme(tab, colours);
        figures = await drawn(tab, page, width, 900);
        if (shots) keep(`${width}-${colours}.png`, await tab.screenshot());
        await readable(tab, name, `at ${width}, ${colours}`);
      }
    }
    expect(await tab.value("window.escaped === undefined"), `${name}: text is not run`);
    await saved(tab, name);
    keep("print.pdf", await printed(tab, name, figures));
    quietly(tab, name);
    await withoutScript(browser, page, figures);
    console.log(`${name}: ${figures} pictures`);
  }
} catch (error) {
  expect(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
