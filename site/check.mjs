// Opens pages of the site from its folder, as a reader without a network would, and looks for what is broken.
//   node site/check.mjs CHROMIUM SITE [PICTURES]      PICTURES: a folder for pictures of the pages
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium } from "../tests/report/browser/chromium.mjs";

const [program, site, pictures] = [process.argv[2], resolve(process.argv[3]), process.argv[4]];
const math = readdirSync(join(site, "math")).map((name) => `math/${name}`);
const others = [
  "index.html",
  "glossary.html",
  "gallery.html",
  "tutorial/first-decision.html",
  "reference/command-line.html",
  "project/readme.html",
  "python/mindgap.html",
  "cpp/index.html",
].filter((name) => existsSync(join(site, name)));
const problems = [];
const chromium = new Chromium(program);
const tab = await chromium.tab();
if (pictures) mkdirSync(pictures, { recursive: true });

function take(page) {
  for (const complaint of tab.complaints.splice(0)) problems.push(`${page}: ${complaint}`);
  for (const url of tab.requests.splice(0))
    if (!/^(file|data|blob):/.test(url)) problems.push(`${page}: asks the network for ${url}`);
}

async function open(page, width, scheme) {
  await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await tab.size(width, 900);
  await tab.open(pathToFileURL(join(site, page)).href);
  if (pictures) {
    const name = `${page.replace(/[/.]/g, "-")}-${width}-${scheme}.png`;
    writeFileSync(join(pictures, name), await tab.screenshot());
  }
  take(page);
}

for (const page of [...others, ...math]) {
  await open(page, 1280, "light");
  const formulas = await tab.value(String.raw`(() => {
    const all = [...document.querySelectorAll(".arithmatex")];
    const plain = (element) => {
      const copy = element.cloneNode(true);
      for (const part of copy.querySelectorAll("code, pre, ul, ol, .katex")) part.remove();
      return copy.textContent;
    };
    return {
      undrawn: all.filter((one) => !one.querySelector(".katex")).map((one) => one.textContent),
      wrong: [...document.querySelectorAll(".katex-error")].map((one) => one.title),
      // a list or a formula that Markdown did not see as one: no line before the list, a space before the last dollar
      missed: [...document.querySelectorAll("article p, article li, article td")]
        .map(plain)
        .filter((text) => /\n(?:[-*]|\d+\.) /.test(text) || /\$[^$]*[=\\^_][^$]*\$/.test(text)),
    };
  })()`);
  for (const text of formulas.undrawn) problems.push(`${page}: a formula is not drawn: ${text}`);
  for (const text of formulas.missed) problems.push(`${page}: is this a formula or a list? ${text}`);
  for (const text of formulas.wrong) problems.push(`${page}: KaTeX: ${text}`);
  if (page.startsWith("cpp") || page.startsWith("python")) continue; // made by others for wide screens
  await open(page, 390, "dark");
  const wide = await tab.value("document.documentElement.scrollWidth");
  if (wide > 390) problems.push(`${page}: ${wide} wide on a screen of 390`);
}

// Search, from the folder. It starts when the field is first used, so words are typed until it answers.
await open("index.html", 1280, "light");
await tab.value(`document.querySelector("#__search").click()`);
for (const [word, title] of [
  ["odds bound", "Glossary"],
  ["tipping", "decision"],
]) {
  const found = `(() => {
    const field = document.querySelector(".md-search__input");
    field.focus();
    field.value = ${JSON.stringify(word)};
    field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, key: "s" }));
    const results = [...document.querySelectorAll(".md-search-result__item")];
    return results.some((one) => one.textContent.toLowerCase().includes(${JSON.stringify(title.toLowerCase())}));
  })()`;
  await tab.until(found, 20).catch(() => problems.push(`search: '${word}' does not find '${title}'`));
}
if (pictures) writeFileSync(join(pictures, "search.png"), await tab.screenshot());
take("search");
await chromium.close();
console.log(problems.join("\n") || `site: ${others.length + math.length} pages looked at, nothing wrong`);
process.exit(problems.length ? 1 : 0);
