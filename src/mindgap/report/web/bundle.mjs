// Joins the minified builds that the packages ship into one script, with every licence in front.
//   node bundle.mjs NODE_MODULES OUTPUT
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const builds = [
  "vega/build/vega.min.js",
  "vega-lite/build/vega-lite.min.js",
  "vega-embed/build/vega-embed.min.js",
];

function packagesUnder(folder) {
  const found = [];
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith(".")) continue;
    const path = join(folder, name);
    if (name.startsWith("@")) {
      found.push(...packagesUnder(path));
      continue;
    }
    if (!existsSync(join(path, "package.json"))) continue;
    found.push(path);
    if (existsSync(join(path, "node_modules"))) found.push(...packagesUnder(join(path, "node_modules")));
  }
  return found;
}

// One comment: each distinct licence text under the names of the packages that have it.
function licences(modules) {
  const byText = new Map();
  for (const path of packagesUnder(modules)) {
    const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(path, file), "utf8") : `Licence: ${license}`;
    const plain = text.replace(/\r/g, "").replaceAll("*/", "* /").replaceAll("</", "< /").trim();
    byText.set(plain, [...(byText.get(plain) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${[...new Set(names)].join(", ")}\n\n${text}\n`);
  return `/*! The software below and its licences\n\n${parts.join(`\n${"-".repeat(70)}\n\n`)}*/\n`;
}

function script(modules, build) {
  return readFileSync(join(modules, build), "utf8")
    .replace(/\/\/# sourceMappingURL=\S*/g, "")
    .replace(/<\/script/gi, "<\\/script")
    .replaceAll("<!--", "<\\!--")
    .trim();
}

const [modules, output] = process.argv.slice(2);
const text = licences(modules) + builds.map((build) => script(modules, build)).join(";\n") + ";\n";
writeFileSync(output + ".tmp", text);
renameSync(output + ".tmp", output);
