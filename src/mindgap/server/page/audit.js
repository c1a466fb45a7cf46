// @ts-check
// Who changed what, when and why.
import { call, query } from "./api.js";
import { choice, counted, during, el, isLate, labelled, moment, show, table } from "./dom.js";
import { now } from "./session.js";

const kPage = 100;
/** @type {Record<string, string>} */
const kKinds = {
  study: "study begun", design: "design", update: "plan updated", assign: "handed out", record: "recorded", conflict: "conflict", settle: "settled",
  redesign: "new design", stop: "ended", units: "units joined", people: "people", migrate: "file brought up to date", signature: "signature",
};

/** @param {any} event */
const rowOf = (event) => [event.event, moment(event.time), kKinds[event.kind] ?? event.kind, event.who ?? "command line",
  [event.summary, event.why ? el("span", { class: "why" }, ` Why: ${event.why}`) : "", isLate(event.at, event.time) ? el("span", { class: "why" }, " Entered ", moment(event.at)) : ""]];

const filters = { who: "", kind: "", unit: "", from: "", to: "" };

/** @param {HTMLElement} main */
export async function audit(main) {
  const list = el("div", {});
  const csv = el("a", { download: "audit.csv" }, "Save as CSV");
  /** @type {any[]} */
  let events = [];
  const load = async (more = false) => {
    csv.setAttribute("href", `/api/v1/audit.csv${query(filters)}`);
    const found = await call("GET", `/audit${query({ ...filters, offset: more ? events.length : 0, limit: kPage })}`);
    events = more ? [...events, ...found.events] : found.events;
    show(list, el("p", { class: "hint" }, counted(found.total, "entry").replace("entrys", "entries")),
      events.length > 0 && table("Log", ["No.", "When", "What", "Who", "Details"], events.map(rowOf)),
      events.length < found.total && el("button", { type: "button", class: "quiet", onclick: () => during(list, () => load(true)) }, "Show more"));
  };
  const who = el("input", { type: "text", value: filters.who, autocomplete: "off" });
  const kind = choice(["", ...Object.keys(kKinds)], { value: filters.kind }, (each) => (each ? kKinds[each] : "Everything"));
  const unit = choice(["", ...now.study.units.map((/** @type {any} */ each) => each.name)], { value: filters.unit }, (each) => each || "All units");
  const from = el("input", { type: "date", value: filters.from });
  const to = el("input", { type: "date", value: filters.to });
  const form = el("form", { class: "filters", role: "search", "aria-label": "Filter the log", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    Object.assign(filters, { who: who.value.trim(), kind: kind.value, unit: unit.value, from: from.value, to: to.value });
    during(list, () => load());
  } }, labelled("Who", who), labelled("What", kind), labelled("Unit", unit), labelled("From", from), labelled("To", to),
  el("div", { class: "buttons" }, el("button", { type: "submit" }, "Filter"), csv));
  show(main, el("h1", { tabindex: "-1" }, "Log"), form, list);
  await during(list, () => load());
}
