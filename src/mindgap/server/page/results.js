// @ts-check
// What was recorded, with what it replaced; corrections.
import { call } from "./api.js";
import { choice, during, el, isLate, labelled, moment, show } from "./dom.js";
import { inWords, resultForm } from "./record.js";
import { mayRecord, now } from "./session.js";

const kMost = 200;

/** @param {any} result @param {number} seen the sequence number that the list shows
 * @param {() => any} again shows the list anew */
function card(result, seen, again) {
  const place = el("div", {});
  const origin = el("p", { class: "hint" }, result.who ? `By ${result.who}, ` : "By the command line, ", moment(result.time),
    isLate(result.at, result.time) ? [" (entered ", moment(result.at), ")"] : "",
    result.why ? `. ${result.why}` : "");
  const before = result.replaced?.length > 0 && el("details", {}, el("summary", {}, "What it replaced"),
    el("ul", {}, ...result.replaced.map((/** @type {any} */ old) => el("li", {}, inWords(old), old.who ? `, by ${old.who}, ` : ", ", moment(old.time)))));
  const button = mayRecord() && el("button", { type: "button", class: "quiet", "aria-label": `Correct ${result.unit}, step ${result.step}`, onclick: open }, "Correct");
  const close = () => {
    show(place, button);
    if (button) button.focus();
  };
  function open() {
    const { form, first } = resultForm({ ...result, next_states: [result.next_state ?? result.state] }, { before: result, correct: true, seen, cancel: close, done: again });
    show(place, form);
    first.focus();
  }
  show(place, button);
  return el("li", { class: "card" },
    el("h3", {}, result.unit, el("span", { class: "step" }, ` step ${result.step}`)),
    el("p", { class: "order" }, "At ", el("strong", {}, result.state), ", did ", el("strong", {}, result.action), result.deviation && " (not as assigned)"),
    el("p", {}, inWords(result)), origin, before, place);
}

let unit = "";
/** @param {HTMLElement} main */
export async function results(main) {
  const units = now.study.units.map((/** @type {any} */ each) => each.name);
  if (!units.includes(unit)) unit = units.length <= 3 ? "" : (units[0] ?? "");
  const list = el("div", {});
  const load = async () => {
    const found = await call("GET", `/results${unit ? `?unit=${encodeURIComponent(unit)}` : ""}`);
    const shown = [...found.results].sort((a, b) => b.event - a.event || b.step - a.step).slice(0, kMost);
    show(list, shown.length === 0 ? el("p", {}, "Nothing is recorded yet.") : el("ul", { class: "cards" }, ...shown.map((each) => card(each, found.sequence, () => during(list, load)))),
      found.results.length > kMost && el("p", { class: "hint" }, `The latest ${kMost} of ${found.results.length}. Choose a unit to see the rest.`));
  };
  const select = choice(["", ...units], { value: unit, onchange: () => { unit = select.value; during(list, load); } }, (each) => each || "All units");
  show(main, el("h1", { tabindex: "-1" }, "Recorded"), units.length > 1 && labelled("Unit", select), list);
  await during(list, load);
}
