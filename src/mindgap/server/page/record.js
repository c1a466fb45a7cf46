// @ts-check
// The form for one result: what came of it, and where it led.
import { choice, during, el, labelled, newId } from "./dom.js";
import { now } from "./session.js";
import { record } from "./sending.js";

/** "2,5" and "−2.5" are numbers, too; undefined where it is none. @param {string} text */
export function numberIn(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : undefined;
}

/** What a result says, in words. @param {any} result */
export function inWords(result) {
  if (!result) return "nothing yet";
  const led = result.next_state ? `led to ${result.next_state}` : "where it led is not known";
  if (result.void) return `no visit; ${result.next_state ? `now at ${result.next_state}` : "where it is now is not known"}`;
  if (result.reward === null || result.reward === undefined) return `result not known, ${led}`;
  const bound = result.bound === "at_least" ? "at least " : result.bound === "at_most" ? "at most " : "";
  return `${bound}${result.reward}, ${led}`;
}

/**
 * Radio buttons in a row.
 * @param {string} legend @param {[string, string][]} options value and word @param {string} chosen @param {() => void} changed
 */
function row(legend, options, chosen, changed) {
  const name = newId("choice");
  const fieldset = el(
    "fieldset",
    { class: "row" },
    el("legend", {}, legend),
    ...options.map(([value, word]) => {
      const input = el("input", { type: "radio", name, value, checked: value === chosen, onchange: changed });
      return el("label", { class: "pill" }, input, el("span", {}, word));
    }),
  );
  return {
    fieldset,
    value: () => /** @type {HTMLInputElement | null} */ (fieldset.querySelector("input:checked"))?.value ?? "",
  };
}

const kOther = "\u0000other";
const kUnknown = "\u0000unknown";

/** Where it led: the likely places by one tap, any other from a list. @param {any} about @param {any} before */
function places(about, before) {
  const likely = about.next_states?.length ? about.next_states.slice(0, 5) : [about.state];
  const known = before?.next_state ?? null;
  const chosen = known === null ? (likely.length === 1 ? likely[0] : "") : likely.includes(known) ? known : kOther;
  const list = choice(now.study.states.map((/** @type {any} */ each) => each.name), { value: known ?? about.state });
  const another = labelled("Which place?", list);
  const options = [...likely.map((/** @type {string} */ each) => [each, each]), [kOther, "Another place"], [kUnknown, "Not known yet"]];
  const buttons = row("Where did it lead?", /** @type {[string, string][]} */ (options), chosen, update);
  function update() {
    another.hidden = buttons.value() !== kOther;
  }
  update();
  return {
    node: el("div", {}, buttons.fieldset, another),
    legend: buttons.fieldset.querySelector("legend"),
    /** undefined: nothing was chosen */
    value: () => {
      const found = buttons.value();
      return found === "" ? undefined : found === kUnknown ? null : found === kOther ? list.value : found;
    },
  };
}

/** An amount, with a button for the sign: many phones have none on their number pad. @param {any} before */
function amount(before) {
  const input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: "8" });
  if (before && before.reward !== null && before.reward !== undefined) input.value = String(before.reward);
  const flip = () => {
    const text = input.value.trim();
    input.value = /^[-−]/.test(text) ? text.slice(1) : `-${text}`;
    input.focus();
  };
  const sign = el("button", { type: "button", class: "quiet", "aria-label": "Change the sign", onclick: flip }, "+/−");
  const id = newId("amount");
  input.id = id;
  const field = el("div", { class: "field" }, el("label", { for: id }, "Amount"), el("div", { class: "beside" }, input, sign));
  return { input, field };
}

/**
 * @param {import("./session.js").Assignment | any} about what was assigned: unit, step, state, action, next_states
 * @param {{before?: any, correct?: boolean, seen?: number, cancel?: () => void, done: () => void}} options `before`: what is recorded so far;
 *   `seen`: the sequence number of the list that shows it, where that is not the page's
 */
export function resultForm(about, { before = null, correct = false, seen = undefined, cancel = undefined, done }) {
  const first = before?.void ? "void" : (before?.bound ?? "exact");
  const kind = row("What came of it?", [["exact", "Exactly"], ["at_least", "At least"], ["at_most", "At most"], ["void", "No visit"]], first, update);
  const { input, field } = amount(before);
  const place = places(about, before);
  const action = choice(now.study.actions, { value: before?.action ?? about.action });
  const why = el("input", { type: "text", maxlength: "500", required: correct });
  const other = el("details", {}, el("summary", {}, correct ? "Something else was done" : "Something else was done, or a note"),
    labelled("What was done", action, `Assigned was: ${about.action}`), !correct && labelled("Note", why));
  if (before && before.action !== about.action) other.open = true;
  const form = el(
    "form",
    { class: "result", onsubmit: submit, novalidate: true },
    kind.fieldset,
    field,
    place.node,
    other,
    correct && labelled("Why is it corrected?", why),
    el("div", { class: "buttons" }, el("button", { type: "submit" }, correct ? "Save the correction" : "Save"),
      cancel && el("button", { type: "button", class: "quiet", onclick: cancel }, "Cancel")),
  );
  function update() {
    const missed = kind.value() === "void";
    field.hidden = missed;
    if (place.legend) place.legend.textContent = missed ? "Where is it now?" : "Where did it lead?";
  }
  update();

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    return during(form, async () => {
      const missed = kind.value() === "void";
      const text = input.value.trim();
      const reward = missed || text === "" ? null : numberIn(text);
      const led = place.value();
      if (reward === undefined) return refuse(input, `“${text}” is not a number. Write it like 12 or 2.5.`);
      if (led === undefined) return refuse(form.querySelector("fieldset:nth-of-type(1) input"), "Say where it led, or choose “Not known yet”.");
      if (!missed && reward === null && led === null) return refuse(input, "Enter the amount or where it led. If there was no visit, choose “No visit”.");
      if (correct && why.value.trim() === "") return refuse(why, "Say why it is corrected; the reason is kept.");
      const bound = missed || reward === null || kind.value() === "exact" ? null : kind.value();
      await record({
        seen: seen ?? now.sequence,
        unit: about.unit,
        step: about.step,
        action: action.value,
        reward,
        bound,
        next_state: led,
        void: missed,
        correct,
        why: why.value.trim(),
      });
      done();
    });
  }
  return { form, first: input };
}

/** @param {HTMLElement | null} where @param {string} text @returns {never} */
function refuse(where, text) {
  where?.focus();
  throw new Error(text);
}
