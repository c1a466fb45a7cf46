// @ts-check
// Who takes part.
import { call } from "./api.js";
import { choice, during, el, labelled, moment, show, tell } from "./dom.js";
import { findOut, isOwner, now } from "./session.js";

/** @type {Record<string, string>} */
export const kRoles = { owner: "Owner (everything)", field: "Field (records own units)", viewer: "Viewer (reads everything)" };

/** Units as check boxes. @param {string[]} chosen */
function unitBoxes(chosen) {
  const boxes = now.study.units.map((/** @type {any} */ each) => el("label", {}, el("input", { type: "checkbox", value: each.name, checked: chosen.includes(each.name) }), " ", each.name));
  const fieldset = el("fieldset", { class: "boxes" }, el("legend", {}, "Units"), ...boxes);
  return { fieldset, chosen: () => [...fieldset.querySelectorAll("input:checked")].map((each) => /** @type {HTMLInputElement} */ (each).value) };
}

/** Role and, for field, units. @param {string} role @param {string[]} units */
function rights(role, units) {
  const boxes = unitBoxes(units);
  const select = choice(Object.keys(kRoles), { value: role, onchange: update }, (each) => kRoles[each]);
  function update() {
    boxes.fieldset.hidden = select.value !== "field";
  }
  update();
  return {
    nodes: [labelled("Role", select), boxes.fieldset],
    value: () => (select.value === "field" ? { role: "field", units: boxes.chosen() } : { role: select.value }),
  };
}

/** @param {HTMLFormElement} form @param {() => Promise<any>} deed @param {() => Promise<any>} again */
const onSubmit = (form, deed, again) => form.addEventListener("submit", (event) => {
  event.preventDefault();
  during(form, async () => {
    await deed();
    await again();
  });
});

/** @param {any} one @param {() => Promise<any>} again */
function person(one, again) {
  const path = `/people/${encodeURIComponent(one.name)}`;
  const node = el("li", { class: "card" }, el("h3", {}, one.name, el("span", { class: "step" }, ` ${one.role}`)),
    one.units && el("p", {}, one.units.join(", ")));
  if (!isOwner()) return node;
  const change = rights(one.role, one.units ?? []);
  const changing = el("form", {}, ...change.nodes, el("div", { class: "buttons" }, el("button", { type: "submit" }, "Change")));
  onSubmit(changing, async () => { await call("PUT", path, change.value()); tell(`${one.name}: changed.`); }, again);
  const password = el("input", { type: "password", autocomplete: "new-password", minlength: "10", required: true });
  const setting = el("form", {}, labelled("New password", password, "At least 10 characters. All sessions of this person end."), el("div", { class: "buttons" }, el("button", { type: "submit" }, "Set the password")));
  onSubmit(setting, async () => { await call("PUT", `${path}/password`, { password: password.value }); tell(`${one.name}: the password is set.`); }, again);
  const remove = el("div", {}, el("p", {}, "What was recorded stays under this name. Sessions and tokens end."),
    el("div", { class: "buttons" }, el("button", { type: "button", class: "danger", onclick: () => during(remove, async () => { await call("DELETE", path); tell(`${one.name}: removed.`); await again(); }) }, `Remove ${one.name}`)));
  node.append(
    el("details", {}, el("summary", {}, "Role and units"), changing),
    el("details", {}, el("summary", {}, "Password"), setting),
    el("details", {}, el("summary", {}, `Programs (${one.tokens?.length ?? 0})`), tokens(one, path, again)),
    el("details", {}, el("summary", {}, "Remove"), remove));
  return node;
}

/** @param {any} one @param {string} path @param {() => Promise<any>} again */
function tokens(one, path, again) {
  const label = el("input", { type: "text", maxlength: "64", required: true });
  const days = el("input", { type: "number", min: "1", max: "3650", value: "90" });
  const form = el("form", {}, labelled("What for?", label), labelled("Valid for days", days), el("div", { class: "buttons" }, el("button", { type: "submit" }, "Make a token")));
  const place = el("div", {}, el("p", { class: "hint" }, "A token lets a program do what this person may."),
    el("ul", {}, ...(one.tokens ?? []).map((/** @type {any} */ each) => {
      const item = el("li", {}, `${each.label} (${each.token}), until `, moment(each.expires), " ",
        el("button", { type: "button", class: "quiet", "aria-label": `End token ${each.label}`, onclick: () => during(item, async () => { await call("DELETE", `${path}/tokens/${encodeURIComponent(each.token)}`); await again(); }) }, "End"));
      return item;
    })), form);
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    during(form, async () => {
      const made = await call("POST", `${path}/tokens`, { label: label.value.trim(), days: Number(days.value) });
      place.append(el("p", { class: "note", role: "status" }, "Copy it now; it is not shown again: ", el("code", {}, made.secret)));
    });
  });
  return place;
}

/** @param {() => Promise<any>} again @param {boolean} first */
function adding(again, first) {
  const name = el("input", { type: "text", autocomplete: "off", maxlength: "64", required: true, autocapitalize: "none" });
  const password = el("input", { type: "password", autocomplete: "new-password", minlength: "10", required: true });
  const given = rights(first ? "owner" : "field", []);
  const form = el("form", {}, labelled("Name", name, "Letters, digits and . _ - @"), labelled("Password", password, "At least 10 characters"), ...given.nodes,
    el("div", { class: "buttons" }, el("button", { type: "submit" }, "Add")));
  onSubmit(form, async () => {
    await call("POST", "/people", { name: name.value.trim(), password: password.value, ...given.value() });
    tell(`${name.value.trim()}: added.`);
    if (first) await findOut();
  }, again);
  return el("section", {}, el("h2", {}, first ? "Add the first person, an owner" : "Add somebody"),
    first && el("p", { class: "note" }, "So far nobody has to log in. As soon as there is an owner, everybody has to."), form);
}

/** @param {HTMLElement} main */
export async function people(main) {
  const place = el("div", {});
  show(main, el("h1", { tabindex: "-1" }, "People"), place);
  const load = async () => {
    const found = (await call("GET", "/people")).people;
    show(place, found.length > 0 && el("ul", { class: "cards" }, ...found.map((/** @type {any} */ one) => person(one, load))), isOwner() && adding(load, found.length === 0));
  };
  await during(place, load);
}

/** One's own password. @param {HTMLElement} main */
export function account(main) {
  const old = el("input", { type: "password", autocomplete: "current-password", required: true });
  const password = el("input", { type: "password", autocomplete: "new-password", minlength: "10", required: true });
  const form = el("form", {}, el("input", { type: "text", autocomplete: "username", value: now.session?.user ?? "", hidden: true, "aria-hidden": "true", tabindex: "-1" }),
    labelled("Password now", old), labelled("New password", password, "At least 10 characters. Your other sessions end."), el("div", { class: "buttons" }, el("button", { type: "submit" }, "Change the password")));
  onSubmit(form, async () => {
    await call("PUT", `/people/${encodeURIComponent(now.session?.user ?? "")}/password`, { password: password.value, old: old.value });
    tell("The password is changed.");
    form.reset();
  }, async () => undefined);
  show(main, el("h1", { tabindex: "-1" }, "Your account"), el("p", {}, `You are logged in as ${now.session?.user} (${now.session?.role}).`), form);
}
