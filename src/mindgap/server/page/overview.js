// @ts-check
// How the study stands, for its owner: what is in, what it shows, whether to go on.
import { call, freshId } from "./api.js";
import { counted, during, el, labelled, moment, number, show, table, tell } from "./dom.js";
import { isOwner, now, refresh } from "./session.js";

const kListed = 20;
/** @type {Record<string, string>} */
const kPhases = {
  exploring: "Exploring: units follow the routes of the pilot.",
  following: "The pilot’s routes are done: everybody follows the best plan known so far.",
  finished: "Finished: every unit has done all its steps.",
  stopped: "The study has ended.",
};

/** @param {string} name @param {any} value */
const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** @param {any} status */
function advice(status) {
  const next = status.next_batch;
  if (!next || status.phase === "stopped" || status.phase === "finished") return null;
  const [low, high] = next.interval ?? [null, null];
  const words = next.go_on ? "Another round of exploring is worth its price." : "Another round of exploring is not worth its price.";
  return el("section", { class: next.go_on ? "answer good" : "answer" },
    el("h2", {}, "Go on or stop?"), el("p", { class: "headline" }, words),
    el("p", {}, `Exploring for ${counted(next.steps, "more step")} is expected to earn ${number(next.worth)} later and to cost ${number(next.cost)} now: ${number(next.net)} in all`,
      low === null ? "." : ` (95 % interval ${number(low)} to ${number(high)}).`,
      next.certain === false ? " The two are close; it may come out either way." : ""));
}

/** Whether exploring units earn more than the others, in words. @param {any} difference */
function compared(difference) {
  if (difference?.interval)
    return `Exploring units earn ${number(difference.explore)} a step, the others ${number(difference.control)}; the difference is ${number(difference.difference)} (95 % interval ${number(difference.interval[0])} to ${number(difference.interval[1])}, valid however often you look).`;
  if (difference?.permutation)
    return `Exploring units earn ${number(difference.explore)} a step, the others ${number(difference.control)}. With so few units that may be chance (p = ${number(difference.permutation.p_all_looks)}, valid however often you look).`;
  return "Exploring units and the others cannot be compared yet.";
}

/** @param {any} status */
function evidence(status) {
  const flagged = status.flagged ?? [];
  const rows = flagged.slice(0, kListed).map((/** @type {any} */ one) => [one.state, one.action, one.count, number(one.simulated_reward), number(one.mean_reward)]);
  return el("section", {}, el("h2", {}, "What the results show"),
    el("p", {}, flagged.length === 0 ? "Nothing recorded so far contradicts the simulator." : `The simulator is wrong in ${counted(flagged.length, "case")}:`),
    rows.length > 0 && table("Where the simulator is wrong", ["Place", "Action", "Seen", "Simulated", "Found"], rows),
    flagged.length > kListed && el("p", { class: "hint" }, `The first ${kListed}; the report has all.`),
    el("p", {}, status.drift?.alarm ? "Conditions have changed while the study ran." : "There is no sign that conditions changed while the study ran."),
    el("p", {}, compared(status.difference_to_control)),
    status.sample_ratio?.alarm && el("p", { class: "note warn" }, "Results of exploring units and of the others do not come back equally often. Find out why before you compare them."));
}

/** Whose results are out, and since when. @param {any} status */
function out(status) {
  const waiting = status.waiting ?? [];
  if (waiting.length === 0) return null;
  const rows = waiting.slice(0, kListed).map((/** @type {any} */ one) => [one.unit, one.step, one.missing === "next_state" ? "where it led" : "the result", moment(one.since)]);
  return el("section", {}, el("h2", {}, "Still out"), table("Results that are still out", ["Unit", "Step", "Missing", "Handed out"], rows),
    waiting.length > kListed && el("p", { class: "hint" }, `The first ${kListed} of ${waiting.length}.`));
}

/** @param {any} status @param {(where: HTMLElement, deed: () => Promise<any>) => any} deed */
function decisions(status, deed) {
  if (!isOwner() || status.phase === "stopped") return null;
  const place = el("section", {}, el("h2", {}, "What to do next"));
  const post = (/** @type {string} */ path, /** @type {any} */ body, /** @type {(a: any) => string} */ said) => () =>
    deed(place, async () => {
      const answer = await call("POST", path, { id: freshId(), seen: now.sequence, ...body });
      tell(said(answer));
    });
  const why = el("input", { type: "text", maxlength: "500" });
  const stop = el("details", {}, el("summary", {}, "End the study"),
    el("form", { novalidate: true, onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      return deed(place, async () => {
        if (why.value.trim() === "") throw new Error("Say why the study ends; the reason is kept.");
        await call("POST", "/stop", { id: freshId(), seen: now.sequence, why: why.value.trim() });
        tell("The study has ended. Results that are still out are taken.");
      });
    } }, labelled("Why does it end?", why, "Results that are still out are taken afterwards, too."), el("div", { class: "buttons" }, el("button", { type: "submit", class: "danger" }, "End the study"))));
  place.append(
    el("div", { class: "buttons" },
      el("button", { type: "button", onclick: post("/assignments", {}, (a) => (a.added ? `${counted(a.added, "new task")} handed out.` : "Nothing is to be handed out: results are still out.")) }, "Hand out the next steps"),
      el("button", { type: "button", class: "quiet", onclick: post("/redesign", { follow: false }, () => "New routes are made from what is known now.") }, "Explore again"),
      el("button", { type: "button", class: "quiet", onclick: post("/redesign", { follow: true }, () => "Everybody follows the best plan known now.") }, "Follow the best plan")),
    stop);
  return place;
}

/** @param {HTMLElement} main */
export async function overview(main) {
  const body = el("div", {}, el("p", {}, "Computing how the study stands …"));
  show(main, el("h1", { tabindex: "-1" }, now.study.name || "The study"), body);
  const load = async () => {
    const { status, warnings } = await call("GET", "/status").catch((error) => {
      show(body);
      throw error;
    });
    const steps = status.steps_done ?? [0, 0];
    show(body,
      el("p", { class: "subtitle" }, kPhases[status.phase] ?? "", status.why ? ` ${status.why}` : ""),
      now.openConflicts > 0 && el("p", { class: "note warn" }, el("a", { href: "#/conflicts" }, `${counted(now.openConflicts, "conflict")} to settle`)),
      el("dl", { class: "facts" },
        fact("Units", status.units), fact("Results in", number(status.results)), fact("Still out", number(status.pending)),
        fact("Steps done", `${steps[0] === steps[1] ? steps[0] : `${steps[0]} to ${steps[1]}`} of ${status.horizon}`),
        fact("No visit", number(status.void)), fact("Mean result", number(status.mean_reward))),
      advice(status), decisions(status, act), evidence(status), out(status),
      warnings.length > 0 && el("section", {}, el("h2", {}, "Look at this"), el("ul", {}, ...warnings.map((/** @type {string} */ each) => el("li", {}, each)))),
      el("section", {}, el("h2", {}, "Hand over"), el("ul", {},
        el("li", {}, el("a", { href: "/api/v1/report", target: "_blank", rel: "noopener" }, "The report"), " (opens as a page of its own) or ", el("a", { href: "/api/v1/report?download=1" }, "save it")),
        el("li", {}, el("a", { href: "/api/v1/export", download: "" }, "Everything in the log"), " (JSON)"))));
  };
  const act = (/** @type {HTMLElement} */ where, /** @type {() => Promise<any>} */ deed) =>
    during(where, async () => {
      await deed();
      await refresh();
      await load();
    });
  await during(body, load);
}
