// People use the page of a running study: a person in the field with a phone and bad reception, and the owner.
//   node check.mjs CHROMIUM AXE PORT STUDY.json [--screenshots DIR]
// STUDY.json: {"owner": {name, password}, "field": {name, password, units}, "other": {name, password}, "token": the owner's}
import { mkdirSync, readFileSync } from "node:fs";
import { Chromium } from "../../report/browser/chromium.mjs";
import { Line } from "./line.mjs";
import { Person } from "./person.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--screenshots");
const shots = at < 0 ? null : words.splice(at, 2)[1];
const [program, axeFile, port, studyFile] = words;
const axe = readFileSync(axeFile, "utf8");
const study = JSON.parse(readFileSync(studyFile, "utf8"));
const [first, second] = study.field.units;
let failures = 0;
let checks = 0;

function expect(good, what) {
  checks += 1;
  if (good) return;
  failures += 1;
  console.log(`FAILED ${what}`);
}

// Asks the server directly, with the owner's token.
async function ask(method, path, body) {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${study.token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
const resultOf = async (unit, step) =>
  (await ask("GET", `/results?unit=${encodeURIComponent(unit)}`)).results.find((each) => each.step === step);
const handOut = async () => {
  const { sequence } = await ask("GET", "/study");
  return ask("POST", "/assignments", { id: `hand-out-${Date.now()}`, seen: sequence });
};

async function loggingIn(bo, width) {
  await bo.tab.open(bo.url);
  await bo.tab.until(`document.querySelector("h1")?.textContent === "Log in"`);
  await bo.look("login", width, shots);
  await bo.logIn(study.field.name, "not the password");
  await bo.tab.until(`document.querySelector("[role=alert]")`);
  expect(/password/i.test(await bo.text("[role=alert]")), "a wrong password is said");
  // By keyboard alone: Name, Password, Enter.
  await bo.tab.value(`document.querySelector("input").focus(), document.querySelector("input").select()`);
  await bo.tab.send("Input.insertText", { text: study.field.name });
  await bo.key("Tab");
  await bo.tab.value(`document.activeElement.select()`);
  await bo.tab.send("Input.insertText", { text: study.field.password });
  await bo.key("Enter", "Enter", "\r");
  await bo.sees("To do");
  bo.quiet("logging in");
}

async function ownUnitsOnly(bo, width) {
  const units = await bo.tab.value(`[...document.querySelectorAll("ul[aria-label=Tasks] h3")].map((each) => each.firstChild.textContent)`);
  expect(JSON.stringify(units) === JSON.stringify(study.field.units), `somebody in the field sees own units only: ${units}`);
  expect(await bo.tab.value("globalThis.escaped === undefined"), "a name is not run");
  const links = await bo.text("nav");
  expect(!/People|Log|Overview/.test(links), `the field's pages: ${links}`);
  await bo.look("todo", width, shots);
}

async function recording(bo) {
  await bo.record(first, 0, { amount: "2,5", led: study.place });
  await bo.sees(`${first}, step 0: recorded`);
  const found = await resultOf(first, 0);
  expect(found?.reward === 2.5 && found.next_state === study.place && found.who === study.field.name, `recorded: ${JSON.stringify(found)}`);
  const bad = bo.card(second, 0);
  await bo.tab.until(`Boolean(${bad})`);
  await bo.record(second, 0, { amount: "two" });
  await bo.sees("is not a number");
  expect((await resultOf(second, 0)) === undefined, "what is no number is not sent");
  bo.quiet("recording");
}

async function offline(bo, line, width) {
  await bo.tab.until(`navigator.serviceWorker.controller !== null`);
  await line.cut();
  await bo.record(second, 0, { kind: "At least", amount: "12", led: study.place });
  await bo.sees("not sent yet");
  expect((await resultOf(second, 0)) === undefined, "nothing reached the server");
  await bo.tab.open(bo.url);
  await bo.sees("No connection");
  await bo.sees("1 result not sent yet");
  await bo.look("offline", width, shots);
  await line.open();
  await bo.press("Send now");
  await bo.sees(`${second}, step 0: recorded`);
  const found = await resultOf(second, 0);
  expect(found?.reward === 12 && found.bound === "at_least" && Boolean(found.at), `sent later: ${JSON.stringify(found)}`);
  bo.quiet("offline");
}

// While the phone has no reception the owner records another amount.
async function conflict(bo, ada, line, width) {
  await handOut();
  await bo.tab.open(bo.url);
  await bo.tab.until(`Boolean(${bo.card(first, 1)})`);
  await line.cut();
  await bo.record(first, 1, { amount: "5", led: study.place });
  await bo.sees("not sent yet");
  const { sequence } = await ask("GET", "/study");
  await ask("POST", "/results", { id: `owner-${width}-1`, seen: sequence, unit: first, step: 1, reward: 7, next_state: study.place });
  await line.open();
  await bo.press("Send now");
  await bo.sees("the owner decides");
  expect((await resultOf(first, 1)).reward === 7, "what is recorded stays until it is settled");
  expect((await ask("GET", "/conflicts")).conflicts.length === 1, "the conflict is kept");
  bo.quiet("conflict");

  await ada.go("Conflicts", "Which one holds?");
  await ada.look("conflicts", width, shots);
  await ada.press("Take the one that came later");
  await ada.press("Settle");
  await ada.sees("Say why");
  await ada.type("Why?", "Bo counted twice");
  await ada.press("Settle");
  await ada.sees("Nothing is to be settled");
  const found = await resultOf(first, 1);
  expect(found.reward === 5 && found.replaced.length === 1, `settled: ${JSON.stringify(found)}`);
}

async function correction(bo, width) {
  await bo.go("Recorded", first);
  await bo.record(first, 1, { amount: "6", why: "  " });
  await bo.sees("Say why it is corrected");
  await bo.type("Why is it corrected?", "read the <b>meter</b> again", bo.card(first, 1));
  await bo.look("correction", width, shots);
  await bo.press("Save", bo.card(first, 1));
  await bo.sees(`${first}, step 1: corrected`);
  const found = await resultOf(first, 1);
  expect(found.reward === 6 && found.why === "read the <b>meter</b> again" && found.replaced.length === 2, `corrected: ${JSON.stringify(found)}`);
  bo.quiet("correction");
}

// The session ends while a result waits: it goes out under the name of whoever entered it, and nobody else's.
async function anotherPerson(bo, line) {
  await bo.go("To do");
  await line.cut();
  await bo.record(second, 1, { amount: "3", led: study.place });
  await bo.sees("not sent yet");
  await ask("PUT", `/people/${study.field.name}/password`, { password: `${study.field.password}!` });
  await line.open();
  await bo.press("Send now");
  await bo.sees("One result is on this device");
  await bo.logIn(study.other.name, study.other.password);
  await bo.sees(`results of ${study.field.name}`.replace("results", "1 result"));
  expect((await resultOf(second, 1)) === undefined, "nobody sends for somebody else");
  await bo.press("Log out");
  await bo.logIn(study.field.name, `${study.field.password}!`);
  await bo.sees(`${second}, step 1: recorded`);
  const found = await resultOf(second, 1);
  expect(found?.reward === 3 && found.who === study.field.name, `sent after logging in again: ${JSON.stringify(found)}`);
  bo.quiet("another person");
}

async function owner(ada, width) {
  for (const [name, wanted] of [["Overview", "What the results show"], ["To do", "To do"], ["Recorded", "Correct"], ["People", study.field.name], ["Log", "entries"]]) {
    await ada.go(name, wanted);
    await ada.look(`owner-${name.replace(" ", "").toLowerCase()}`, width, shots);
  }
  await ada.type("Who", study.field.name);
  await ada.choose("What", "record");
  await ada.press("Filter");
  await ada.tab.until(`!document.querySelector("tbody")?.innerText.includes(${JSON.stringify(study.owner.name)})`);
  const rows = await ada.text("tbody");
  expect(rows.includes("read the <b>meter</b> again"), `the log has the reason, as text: ${rows}`);
  const csv = await ada.tab.value(`fetch(document.querySelector("a[download='audit.csv']").href).then((each) => each.text())`);
  expect(csv.startsWith("event,time,kind,who") && csv.includes("read the <b>meter</b> again") && !csv.includes("conflict,"), `the log as CSV: ${csv.slice(0, 300)}`);
  await ada.go("Overview", "Hand over");
  const page = await ada.tab.value(`fetch([...document.querySelectorAll("a")].find((each) => each.textContent === "The report").href).then((each) => each.text())`);
  expect(/<html/i.test(page) && page.length > 2000, "the report is there");
  ada.quiet("owner");
}

// Tabs of people who share nothing: cookies, outbox and copies are each one's own.
async function somebody(browser, url, width) {
  const { browserContextId } = await browser.send("Target.createBrowserContext");
  const tab = await browser.tab(browserContextId);
  await tab.size(width, 844);
  return new Person(tab, url, axe, expect);
}

// Over plain HTTP under a name: no service worker. The page says so, and a result that cannot be sent still stays.
async function withoutTls(browser, line) {
  const eve = await somebody(browser, `http://study.test:${line.own}/`, 390);
  await eve.tab.open(eve.url);
  await eve.logIn(study.owner.name, study.owner.password);
  await eve.tab.until(`document.querySelector("nav")`);
  await eve.go("To do", "Without HTTPS this page cannot be opened");
  const unit = await eve.tab.value(`document.querySelector("ul[aria-label=Tasks] h3").firstChild.textContent`);
  const step = Number(await eve.tab.value(`document.querySelector("ul[aria-label=Tasks] .step").textContent.replace("step", "")`));
  await line.cut();
  await eve.record(unit, step, { kind: "No visit", led: study.place });
  await eve.sees("not sent yet");
  await line.open();
  await eve.tab.open(eve.url);
  await eve.tab.until(`document.body.innerText.includes(${JSON.stringify(`${unit}, step ${step}: recorded`)})`);
  const found = await resultOf(unit, step);
  expect(found?.void === true && found.next_state === study.place, `sent from plain HTTP: ${JSON.stringify(found)}`);
  eve.quiet("without TLS", /Failed to load resource|Cross-Origin-Opener-Policy/);
}

const browser = new Chromium(program, ["--host-resolver-rules=MAP study.test 127.0.0.1", "--disable-features=HttpsUpgrades"]);
const line = new Line(Number(port));
try {
  if (shots) mkdirSync(shots, { recursive: true });
  const url = `http://127.0.0.1:${await line.open()}/`;
  const bo = await somebody(browser, url, 390);
  const ada = await somebody(browser, `http://127.0.0.1:${port}/`, 1280);
  await ada.tab.open(ada.url);
  await ada.logIn(study.owner.name, study.owner.password);
  await ada.sees("Overview");
  await loggingIn(bo, 390);
  await ownUnitsOnly(bo, 390);
  await recording(bo);
  await offline(bo, line, 390);
  await conflict(bo, ada, line, 1280);
  await correction(bo, 390);
  await anotherPerson(bo, line);
  await owner(ada, 1280);
  await withoutTls(browser, line);
  for (const [person, width] of [[ada, 390], [bo, 1280]]) await person.tab.size(width, 844);
  await ada.tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await owner(ada, 390);
  await ada.go("Conflicts", "Nothing is to be settled");
  await ada.look("conflicts", 390, shots);
  await bo.go("Recorded", first);
  await bo.look("recorded", 1280, shots);
  await bo.go("To do");
  await bo.look("todo", 1280, shots);
} catch (error) {
  expect(false, error.stack);
} finally {
  await browser.close();
  await line.cut().catch(() => {});
}
if (failures === 0) console.log(`${checks} checks`);
process.exit(failures ? 1 : 0);
