// @ts-check
// The page: who is here sees what is theirs.
import { NoAnswer, Refused } from "./api.js";
import { audit } from "./audit.js";
import { conflicts } from "./conflicts.js";
import { during, el, labelled, moment, show } from "./dom.js";
import { overview } from "./overview.js";
import { account, people } from "./people.js";
import { results } from "./results.js";
import { send } from "./sending.js";
import { changed, findOut, isBehind, logIn, logOut, lost, now, onChange, ownOutbox, refresh, seesAll } from "./session.js";
import { today } from "./today.js";

const kPause = 15000; // between questions whether something is new
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top = /** @type {HTMLElement} */ (document.getElementById("top"));
const notes = /** @type {HTMLElement} */ (document.getElementById("notes"));

/** @typedef {{name: string, title: string, draw: (main: HTMLElement) => any, may: () => boolean, live: boolean}} View */
/** `live`: drawn anew by itself when something is new. @type {View[]} */
const views = [
  { name: "overview", title: "Overview", draw: overview, may: seesAll, live: false },
  { name: "today", title: "To do", draw: today, may: () => true, live: true },
  { name: "results", title: "Recorded", draw: results, may: () => true, live: false },
  { name: "conflicts", title: "Conflicts", draw: conflicts, may: () => true, live: false },
  { name: "people", title: "People", draw: people, may: seesAll, live: false },
  { name: "log", title: "Log", draw: audit, may: seesAll, live: false },
  { name: "account", title: "Your account", draw: account, may: () => Boolean(now.session?.login), live: false },
];

function viewNow() {
  const name = location.hash.replace(/^#\//, "");
  const allowed = views.filter((each) => each.may());
  const first = now.connected ? allowed[0] : allowed.find((each) => each.live); // that one works without a connection
  return allowed.find((each) => each.name === name) ?? first;
}

function drawTop() {
  if (!now.session?.user || !now.study) return show(top);
  const here = viewNow();
  const count = (/** @type {string} */ name) => (name === "today" ? ownOutbox().length : name === "conflicts" ? now.openConflicts : 0);
  const word = (/** @type {string} */ name) => (name === "today" ? "not sent" : "open");
  const links = views.filter((each) => each.may() && each.name !== "account").map((each) =>
    el("li", {}, el("a", { href: `#/${each.name}`, "aria-current": each === here ? "page" : null }, each.title,
      count(each.name) > 0 && el("span", { class: "count" }, `${count(each.name)}`, el("span", { class: "hidden" }, ` ${word(each.name)}`)))));
  const leave = el("button", { type: "button", class: "quiet", onclick: () => during(top, logOut) }, "Log out");
  show(top, el("div", { class: "bar" }, el("p", { class: "name" }, now.study.name || "Study"),
    now.session.login && el("div", { class: "me" }, el("a", { href: "#/account" }, now.session.user), leave)),
  el("nav", { "aria-label": "Pages" }, el("ul", {}, ...links)));
}

function drawNotes() {
  const open = !now.session?.login && now.session?.user;
  show(notes,
    !now.connected && el("p", { class: "note offline", role: "status" }, "No connection. What you record is kept on this device and sent later.",
      now.copiedAt ? [" The list is from ", moment(now.copiedAt), "."] : ""),
    open && seesAll() && viewNow()?.name === "overview" && el("p", { class: "note" }, "This study has no people yet: whoever uses this computer is its owner. ", el("a", { href: "#/people" }, "Add an owner"), " before others take part."));
}

function drawLogin() {
  const name = el("input", { type: "text", autocomplete: "username", autocapitalize: "none", required: true });
  const password = el("input", { type: "password", autocomplete: "current-password", required: true });
  const form = el("form", { class: "login" }, labelled("Name", name), labelled("Password", password), el("div", { class: "buttons" }, el("button", { type: "submit" }, "Log in")));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    during(form, async () => {
      await logIn(name.value.trim(), password.value);
      draw(true);
      await send();
    });
  });
  const kept = now.outbox.length;
  show(main, el("h1", { tabindex: "-1" }, "Log in"),
    kept > 0 && el("p", { class: "note" }, kept === 1 ? "One result is on this device and not sent yet. It is sent after you log in." : `${kept} results are on this device and not sent yet. They are sent after you log in.`), form);
  document.title = "Log in";
}

let drawn = "";
let drawnOffline = false;
/** @param {boolean} arrived whether somebody came to this view just now */
async function draw(arrived) {
  drawTop();
  drawNotes();
  if (!now.session?.user) {
    if (drawn !== "login" || arrived) drawLogin();
    drawn = "login";
    return;
  }
  if (!now.study) {
    drawn = "";
    return show(main, el("h1", {}, "No connection"), el("p", {}, "The study cannot be loaded. Open this page once with reception; after that it also works without."));
  }
  const view = viewNow();
  // The connection is back: what could not be shown is, unless somebody is typing.
  const back = drawnOffline && now.connected && !main.querySelector("form");
  if (!view || (!arrived && drawn === view.name && !view.live && !back)) return;
  drawnOffline = !now.connected;
  const moved = drawn !== view.name;
  drawn = view.name;
  document.title = `${view.title} – ${now.study.name || "Study"}`;
  await view.draw(main);
  if (arrived && moved) /** @type {HTMLElement | null} */ (main.querySelector("h1"))?.focus();
}

/** Sends what waits and shows what is new. */
async function look() {
  if (document.hidden || !now.session?.user) return;
  try {
    if (ownOutbox().some((each) => each.state === "waiting")) await send();
    const before = now.connected;
    if (!now.study || !before || (await isBehind())) await refresh();
  } catch (error) {
    if (error instanceof NoAnswer) now.connected = false;
    else if (error instanceof Refused && error.status === 401) lost();
    changed();
  }
}

async function start() {
  if (globalThis.isSecureContext && navigator.serviceWorker) navigator.serviceWorker.register("/worker.js").catch(() => undefined);
  onChange(() => draw(false));
  try {
    await findOut();
    await refresh();
  } catch (error) {
    show(main, el("h1", {}, "Something went wrong"), el("p", { role: "alert" }, error instanceof Error ? error.message : String(error)));
    return;
  }
  await draw(true);
  globalThis.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#/")) draw(true);
  });
  globalThis.addEventListener("online", look);
  document.addEventListener("visibilitychange", look);
  setInterval(look, kPause);
  await look();
}

start();
