// @ts-check
// Where units are: places by their x and y, as the study's report draws them (y goes up).
import { el, shape } from "./dom.js";

const kWide = 640, kEdge = 44;

/** @param {number[]} values */
function scale(values, from = 0, to = 1) {
  const low = Math.min(...values), high = Math.max(...values);
  return (/** @type {number} */ value) => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
}

/**
 * @param {any[]} states @param {import("./session.js").Assignment[]} assignments
 * @param {(assignment: import("./session.js").Assignment) => string} link to what is to be done
 * @returns {any} null where places have no coordinates
 */
export function map(states, assignments, link) {
  const placed = states.filter((each) => typeof each.x === "number" && typeof each.y === "number");
  if (placed.length < 2 || placed.length > 2000) return null;
  const xs = placed.map((each) => each.x), ys = placed.map((each) => each.y);
  const span = (/** @type {number[]} */ values) => Math.max(...values) - Math.min(...values) || 1;
  const tall = Math.min(560, Math.max(180, (kWide * span(ys)) / span(xs)));
  const x = scale(xs, kEdge, kWide - kEdge), y = scale(ys, tall - kEdge, kEdge);
  /** @type {Map<string, import("./session.js").Assignment[]>} */
  const here = new Map();
  for (const each of assignments) here.set(each.state, [...(here.get(each.state) ?? []), each]);
  const dots = placed.filter((each) => !here.has(each.name)).map((each) =>
    shape("circle", { cx: x(each.x), cy: y(each.y), r: 5, class: "place" }, shape("title", {}, each.name)));
  const marks = placed.filter((each) => here.has(each.name)).map((each) => {
    const found = here.get(each.name) ?? [];
    const names = found.map((one) => one.unit).join(", ");
    const first = found[0];
    const text = found.length === 1 ? first.unit : `${first.unit} +${found.length - 1}`;
    const mark = shape("a", { href: `#${link(first)}`, "aria-label": `${each.name}: ${names}` },
      shape("circle", { cx: x(each.x), cy: y(each.y), r: 11, class: "unit" }),
      shape("text", { x: x(each.x), y: y(each.y) - 17, "text-anchor": "middle" }, text),
      shape("title", {}, `${each.name}: ${names}`));
    mark.addEventListener("click", (/** @type {Event} */ event) => {
      event.preventDefault();
      const card = document.getElementById(link(first));
      card?.scrollIntoView({ block: "start" });
      /** @type {HTMLElement | null} */ (card?.querySelector("button, summary, input") ?? null)?.focus();
    });
    return mark;
  });
  const picture = shape("svg", { viewBox: `0 0 ${kWide} ${tall}`, role: "group", "aria-label": "Where units are", class: "map" }, ...dots, ...marks);
  const wide = globalThis.matchMedia("(min-width: 60rem)").matches;
  return el("details", { class: "mapbox", open: wide }, el("summary", {}, "Map"), picture);
}
