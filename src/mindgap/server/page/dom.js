// @ts-check
// Elements from plain values. Whatever people typed goes in as text, never as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

const kSvg = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] names with `on` in front are listeners; null and false are left out
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (node).value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

/**
 * An element of a picture: `a` and `title` are other elements there.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child | Child[])} children
 * @returns {any}
 */
export function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  add(node, children);
  return node;
}

/** @param {Node} node @param {any[]} children */
function add(node, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Puts these into a place instead of what is there. @param {Element} place @param {...any} children */
export function show(place, ...children) {
  place.replaceChildren();
  add(place, children);
}

/** A time of the server or a phone, as people here read it. @param {string | null | undefined} text */
export function moment(text) {
  if (!text) return "";
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const said = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return el("time", { datetime: text, title: text }, said);
}

/** Whether a phone entered something well before the server had it. @param {string | null | undefined} at @param {string} time */
export const isLate = (at, time) => Boolean(at) && Math.abs(Date.parse(at ?? "") - Date.parse(time)) > 120000;

/** A number with about four digits. @param {number | null | undefined} value */
export function number(value) {
  if (value === null || value === undefined) return "–";
  return Number(value).toLocaleString(undefined, { maximumSignificantDigits: 4 });
}

/** "1 result", "2 results". @param {number} count @param {string} noun */
export function counted(count, noun) {
  if (count === 1) return `1 ${noun}`;
  return `${count.toLocaleString()} ${noun.endsWith("person") ? `${noun.slice(0, -6)}people` : `${noun}s`}`;
}

let fresh = 0;
/** An id that no other element of the page has. @param {string} what */
export const newId = (what) => `${what}-${++fresh}`;

/**
 * A field with its label above it.
 * @param {string} label @param {HTMLElement} input @param {string} [hint]
 */
export function labelled(label, input, hint) {
  const id = input.id || newId("field");
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    input,
    hint && el("p", { class: "hint", id: `${id}-hint` }, hint),
  );
}

/** @param {string[]} options @param {Record<string, any>} [attributes] @param {(value: string) => string} [word] */
export function choice(options, attributes = {}, word = (value) => value) {
  const { value, ...rest } = attributes;
  const select = el("select", rest, ...options.map((each) => el("option", { value: each }, word(each))));
  if (value !== undefined) select.value = value;
  return select;
}

/** A table that scrolls by itself where it is too wide. @param {string} name @param {string[]} columns @param {any[][]} rows */
export function table(name, columns, rows) {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    el(
      "table",
      {},
      el("caption", { class: "hidden" }, name),
      el("thead", {}, el("tr", {}, ...columns.map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell))))),
    ),
  );
}

/** Says something to everybody, also to those who listen. @param {string} text */
export function tell(text) {
  const news = /** @type {HTMLElement} */ (document.getElementById("news"));
  news.textContent = "";
  requestAnimationFrame(() => {
    news.textContent = text;
  });
}

/** Runs the deed of a button or form, which is locked meanwhile; what goes wrong is said beside it.
 * @param {HTMLElement} place @param {() => Promise<any>} deed */
export async function during(place, deed) {
  const buttons = [...place.querySelectorAll("button")];
  const complaint = place.querySelector(".complaint");
  if (complaint) complaint.remove();
  for (const button of buttons) button.disabled = true;
  try {
    return await deed();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    place.append(el("p", { class: "complaint", role: "alert" }, text));
    return undefined;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}
