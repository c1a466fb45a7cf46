// @ts-check
// Two results for the same step: both are shown, the owner decides.
import { call, freshId } from "./api.js";
import { during, el, labelled, moment, newId, show, tell } from "./dom.js";
import { inWords } from "./record.js";
import { isOwner, now, refresh } from "./session.js";

/** @type {Record<string, string>} */
const kReasons = {
  contradicts: "Another result was recorded before this one arrived.",
  newer_correction: "This correction was made before its author could see the latest result.",
  moved_on: "The next step was already handed out from another place than this result says.",
};
/** @type {Record<string, string>} */
const kChosen = { keep: "the recorded one was kept", take: "the one that came later was taken", take_reward: "its amount was taken" };

/** @param {string} title @param {any} result @param {string | null} who @param {string} time */
function side(title, result, who, time) {
  return el("div", { class: "side" }, el("h4", {}, title), el("p", {}, inWords(result)),
    el("p", { class: "hint" }, who ? `${who}, ` : "", moment(time), result?.why ? `. ${result.why}` : ""));
}

/** @param {any} one @param {() => Promise<any>} again */
function card(one, again) {
  const body = el("div", { class: "sides" },
    side("Recorded now", one.against, one.against?.who, one.against?.time),
    side("Came later", { ...one.sent, why: one.why }, one.who, one.at ?? one.time));
  const node = el("li", { class: "card" },
    el("h3", {}, one.unit, el("span", { class: "step" }, ` step ${one.step}`)),
    el("p", {}, kReasons[one.reason] ?? ""), body);
  if (one.settled) {
    node.append(el("p", { class: "badge" }, `Settled by ${one.settled.who}: ${kChosen[one.settled.choose] ?? ""}`), el("p", { class: "hint" }, one.settled.why));
  } else if (isOwner()) {
    node.append(settling(one, again));
  } else {
    node.append(el("p", { class: "badge warn" }, "The owner of the study decides"));
  }
  return node;
}

/** @param {any} one @param {() => Promise<any>} again */
function settling(one, again) {
  const why = el("input", { type: "text", maxlength: "500", required: true });
  const name = newId("choose");
  /** @type {[string, string][]} */
  const options = [["keep", "Keep what is recorded"], ["take", "Take the one that came later"], ["take_reward", "Take its amount, but not where it led"]];
  const form = el("form", { onsubmit: submit, novalidate: true },
    el("fieldset", { class: "stack" }, el("legend", {}, "Which one holds?"),
      ...options.map(([value, word]) => el("label", {}, el("input", { type: "radio", name, value }), " ", word))),
    labelled("Why?", why, "The reason is kept in the log."),
    el("div", { class: "buttons" }, el("button", { type: "submit" }, "Settle")));
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    return during(form, async () => {
      const choose = /** @type {HTMLInputElement | null} */ (form.querySelector("input:checked"))?.value;
      if (!choose) throw new Error("Choose which one holds.");
      if (why.value.trim() === "") throw new Error("Say why; the reason is kept in the log.");
      await call("POST", `/conflicts/${one.conflict}`, { id: freshId(), seen: now.sequence, choose, why: why.value.trim() });
      tell(`${one.unit}, step ${one.step}: settled.`);
      await refresh();
      await again();
    });
  }
  return form;
}

let all = false;
/** @param {HTMLElement} main */
export async function conflicts(main) {
  const list = el("div", {});
  const load = async () => {
    const found = (await call("GET", `/conflicts?open=${all ? 0 : 1}`)).conflicts;
    show(list, found.length === 0 ? el("p", {}, all ? "There has been none." : "Nothing is to be settled.") : el("ul", { class: "cards wide" }, ...found.map((/** @type {any} */ one) => card(one, load))));
  };
  const box = el("input", { type: "checkbox", checked: all, onchange: () => { all = box.checked; during(list, load); } });
  show(main, el("h1", { tabindex: "-1" }, "Conflicts"),
    el("p", {}, "A result that differs from the recorded one changes nothing until it is settled. Neither is ever deleted."),
    el("p", {}, el("label", {}, box, " Show settled ones, too")), list);
  await during(list, load);
}
