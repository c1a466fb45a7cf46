// @ts-check
// What is to be done, and what waits on this device.
import { counted, during, el, moment, show } from "./dom.js";
import { map } from "./map.js";
import { inWords, resultForm } from "./record.js";
import { discard, send, titleOf, tryAgain } from "./sending.js";
import { isKept } from "./store.js";
import { mayRecord, now, othersOutbox, ownOutbox } from "./session.js";

/** @param {{unit: string, step: number}} about */
const keyOf = (about) => `${about.unit}\u0000${about.step}`;
/** @param {import("./session.js").Assignment} about */
const idOf = (about) => `task-${now.assignments.indexOf(about)}`;

/** The cards that are shown, so that a form somebody is filling in stays as it is. @type {Map<string, {said: string, node: HTMLElement}>} */
let cards = new Map();

/** @param {import("./session.js").Assignment} about @param {boolean} open */
function card(about, open) {
  const heading = el("h3", {}, about.unit, el("span", { class: "step" }, ` step ${about.step}`));
  const order = el("p", { class: "order" }, "At ", el("strong", {}, about.state), ", do ", el("strong", {}, about.action));
  const place = el("div", {});
  const node = el("li", { class: "card", id: idOf(about) }, heading, order, place);
  if (about.result) node.insertBefore(el("p", { class: "hint" }, `Recorded so far: ${inWords(about.result)}.`), place);
  if (about.conflicts?.length) node.insertBefore(el("p", { class: "badge warn" }, "Two results differ; the owner decides"), place);
  if (!mayRecord()) return node;
  const openForm = (/** @type {boolean} */ focus) => {
    const close = () => {
      show(place, button);
      button.focus();
    };
    const { form, first } = resultForm(about, { before: about.result, cancel: open ? undefined : close, done: () => show(place, button) });
    show(place, form);
    if (focus) first.focus();
  };
  const button = el("button", { type: "button", "aria-label": `Record ${about.unit}, step ${about.step}`, onclick: () => openForm(true) }, "Record");
  show(place, button);
  if (open) openForm(false);
  return node;
}

/** @param {import("./store.js").Entry} entry */
function waitingCard(entry) {
  const refused = entry.state === "refused";
  const buttons = refused && el("div", { class: "buttons" },
    el("button", { type: "button", onclick: () => during(node, () => tryAgain(entry)) }, "Send again"),
    el("button", { type: "button", class: "quiet", onclick: () => ask(node, entry) }, "Discard"));
  const node = el("li", { class: refused ? "card refused" : "card waiting" },
    el("h3", {}, entry.result.unit, el("span", { class: "step" }, ` step ${entry.result.step}`)),
    el("p", {}, inWords(entry.result), entry.result.correct && " (a correction)"),
    el("p", { class: "hint" }, "Entered ", moment(entry.result.at)),
    el("p", { class: refused ? "badge warn" : "badge" }, refused ? `Not taken: ${entry.problem}` : "Saved on this device, not sent yet"),
    buttons);
  return node;
}

/** Nothing that was entered goes away by one tap. @param {HTMLElement} node @param {import("./store.js").Entry} entry */
function ask(node, entry) {
  const sure = el("div", { class: "buttons" }, el("p", {}, `Discard the result of ${titleOf(entry.result)}? It is not on the server.`),
    el("button", { type: "button", onclick: () => discard(entry) }, "Discard it"),
    el("button", { type: "button", class: "quiet", onclick: () => sure.remove() }, "Keep it"));
  node.append(sure);
  sure.querySelector("button")?.focus();
}

/** What keeps this page from working without a connection; "" where nothing does. */
export function offlineTrouble() {
  if (!isKept()) return "This browser keeps nothing on the device (a private window?). Results that are not sent are lost when the page is closed.";
  if (!globalThis.isSecureContext || !navigator.serviceWorker)
    return "Without HTTPS this page cannot be opened where there is no reception. Results that you enter while it is open are kept on this device until they are sent.";
  return "";
}

/** @param {HTMLElement} main */
export function today(main) {
  const unsent = ownOutbox();
  const here = new Set(unsent.map((each) => keyOf(each.result)));
  const open = now.assignments.filter((each) => !here.has(keyOf(each)));
  const made = new Map();
  const few = open.length <= 2 && now.session?.role === "field";
  for (const about of open) {
    const said = JSON.stringify(about);
    const old = cards.get(keyOf(about));
    made.set(keyOf(about), old && old.said === said ? old : { said, node: card(about, few) });
  }
  cards = made;
  const typing = main.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
  const wasOpen = /** @type {HTMLDetailsElement | null} */ (main.querySelector(".mapbox"))?.open;
  const picture = map(now.study.states, open, idOf);
  if (picture && wasOpen !== undefined) picture.open = wasOpen;
  open.forEach((about) => {
    const node = cards.get(keyOf(about))?.node;
    if (node) node.id = idOf(about);
  });
  const nothing = now.study.phase === "stopped" ? "The study has ended." : "Nothing is to be done now. New tasks appear here by themselves.";
  const others = othersOutbox();
  const trouble = mayRecord() ? offlineTrouble() : "";
  show(main,
    el("h1", { tabindex: "-1" }, "To do"),
    trouble && el("p", { class: "note" }, trouble),
    unsent.length > 0 && el("section", { "aria-labelledby": "unsent" },
      el("div", { class: "head" }, el("h2", { id: "unsent" }, `${counted(unsent.length, "result")} not sent yet`),
        el("button", { type: "button", onclick: (/** @type {Event} */ e) => during(/** @type {HTMLElement} */ (/** @type {HTMLElement} */ (e.currentTarget).parentElement), send) }, "Send now")),
      el("ul", { class: "cards" }, ...unsent.map(waitingCard))),
    others.length > 0 && el("p", { class: "note" },
      `This device also holds ${counted(others.length, "result")} of ${[...new Set(others.map((each) => each.user))].join(", ")}. Log in with that name to send them.`),
    picture,
    open.length === 0 ? el("p", {}, nothing) : el("ul", { class: "cards", "aria-label": "Tasks" }, ...open.map((each) => cards.get(keyOf(each))?.node)));
  if (typing && document.contains(typing) && typing !== document.activeElement) typing.focus({ preventScroll: true });
}
