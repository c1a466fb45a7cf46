// Somebody at a browser: looks for things by their words and uses them as a reader would.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const kFind = `(words, tag) => [...document.querySelectorAll(tag)].find((each) =>
  each.getBoundingClientRect().height > 0 && (each.getAttribute("aria-label") ?? each.textContent).trim().startsWith(words))`;

export class Person {
  constructor(tab, url, axe, report) {
    Object.assign(this, { tab, url, axe, report, seen: 0 });
  }

  text(selector = "main") {
    return this.tab.value(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
  }

  async sees(words, seconds = 15) {
    await this.tab.until(`document.body.innerText.includes(${JSON.stringify(words)})`, seconds).catch(async (error) => {
      throw new Error(`${error.message}; the page says: ${(await this.text("body")).slice(0, 1500)}`);
    });
  }

  // Presses what begins with these words, once it is there.
  async press(words, within = "document") {
    const found = `(${kFind.replaceAll("document.querySelectorAll", `${within}.querySelectorAll`)})(${JSON.stringify(words)}, "button, a, summary, label.pill, label")`;
    await this.tab.until(`Boolean(${found}) && !${found}.disabled`, 15).catch(async (error) => {
      throw new Error(`${error.message}; the page says: ${(await this.text("body")).slice(0, 1500)}`);
    });
    await this.tab.value(`${found}.click()`);
  }

  // Types into the field with this label, by keys.
  async type(label, text, within = "document") {
    const found = `(() => { const label = [...${within}.querySelectorAll("label")].find((each) => each.getBoundingClientRect().height > 0 && each.textContent.trim() === ${JSON.stringify(label)});
      return label && document.getElementById(label.htmlFor); })()`;
    await this.tab.until(`Boolean(${found})`, 15);
    await this.tab.value(`${found}.focus(), ${found}.select?.()`);
    await this.tab.send("Input.insertText", { text });
  }

  async choose(label, value, within = "document") {
    const found = `(() => { const label = [...${within}.querySelectorAll("label")].find((each) => each.textContent.trim() === ${JSON.stringify(label)});
      return label && document.getElementById(label.htmlFor); })()`;
    await this.tab.until(`Boolean(${found})`, 15);
    await this.tab.value(`(() => { const field = ${found}; field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event("change")); })()`);
  }

  async key(key, code = key, text = undefined) {
    for (const type of ["keyDown", "keyUp"])
      await this.tab.send("Input.dispatchKeyEvent", { type, key, code, windowsVirtualKeyCode: { Tab: 9, Enter: 13 }[key], text: type === "keyDown" ? text : undefined });
  }

  // The card of a unit and step, as an expression.
  card(unit, step) {
    return `[...document.querySelectorAll(".card")].find((each) => each.querySelector("h3")?.textContent === ${JSON.stringify(`${unit} step ${step}`)})`;
  }

  async logIn(name, password) {
    await this.tab.until(`document.querySelector("h1")?.textContent === "Log in"`);
    await this.type("Name", name);
    await this.type("Password", password);
    await this.press("Log in");
  }

  // Fills in one result; the tap that opens the form is left out where it is open.
  async record(unit, step, { amount, led, kind = "Exactly", why }) {
    const card = this.card(unit, step);
    await this.tab.until(`Boolean(${card})`, 15).catch(async (error) => {
      throw new Error(`${unit}, step ${step}: ${error.message}; the page says: ${(await this.text("body")).slice(0, 1500)}`);
    });
    if (!(await this.tab.value(`Boolean(${card}.querySelector("form"))`))) await this.press(why ? "Correct" : "Record", card);
    await this.press(kind, card);
    if (amount !== undefined) await this.type("Amount", amount, card);
    if (led) await this.press(led, card);
    if (why) await this.type("Why is it corrected?", why, card);
    await this.press("Save", card);
  }

  async go(name, words) {
    await this.press(name, `document.querySelector("nav")`);
    if (words) await this.sees(words);
  }

  // Nothing is cut off or hard to read.
  async look(name, width, shots) {
    if (shots) writeFileSync(join(shots, `${name}-${width}.png`), await this.tab.screenshot());
    const wide = await this.tab.value("document.documentElement.scrollWidth");
    this.report(wide <= width, `${name} at ${width}: no horizontal scrolling, ${wide} wide`);
    const small = await this.tab.value(`[...document.querySelectorAll("button, select, input:not([type=radio], [type=checkbox])")]
      .filter((each) => each.getBoundingClientRect().height > 0 && each.getBoundingClientRect().height < 40).map((each) => each.outerHTML.slice(0, 90))`);
    this.report(small.length === 0, `${name} at ${width}: large enough for a thumb: ${small.join(" | ")}`);
    await this.tab.value(`${this.axe}; 0`);
    const found = await this.tab.value(`axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((one) =>
      ({ id: one.id, impact: one.impact, help: one.help, where: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) })))`);
    for (const one of found)
      this.report(!["serious", "critical"].includes(one.impact), `${name} at ${width}: axe ${one.id}: ${one.help}: ${one.where.join(" | ")}`);
  }

  // Complaints of the console since the last look, but for questions that the test meant to fail.
  quiet(name, meant = /Failed to load resource/) {
    const found = this.tab.complaints.slice(this.seen).filter((each) => !meant.test(each));
    this.seen = this.tab.complaints.length;
    this.report(found.length === 0, `${name}: the console is silent: ${found.join(" | ")}`);
    const outside = this.tab.requests.filter((each) => !each.startsWith(this.url) && !/^(data|blob|about):/.test(each));
    this.report(outside.length === 0, `${name}: no request goes elsewhere: ${outside.join(" ")}`);
  }
}
