// @ts-check
// Results go to this device first and from there to the server, as soon as it answers.
import { call, freshId, NoAnswer, Refused } from "./api.js";
import { tell } from "./dom.js";
import { changed, lost, now, ownOutbox, refresh } from "./session.js";
import { forget, keep, outbox } from "./store.js";

const kMost = 100; // results in one request

/** What became of a result, in words. @type {Record<string, string>} */
const kOutcome = {
  recorded: "recorded",
  completed: "recorded",
  corrected: "corrected",
  already: "was recorded already",
  conflict: "differs from what is recorded; both are kept and the owner decides",
};

/** @param {any} result */
export const titleOf = (result) => `${result.unit}, step ${result.step}`;

/**
 * Keeps a result on this device, then tries to send everything.
 * @param {any} result seen, unit, step, and what was found
 */
export async function record(result) {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const id = freshId();
  await keep({
    id,
    user: now.session?.user ?? "",
    study: now.study.id,
    state: "waiting",
    problem: "",
    result: { id, at, ...result },
  });
  navigator.storage?.persist?.().catch(() => undefined);
  now.outbox = await outbox();
  changed();
  await send();
  if (now.outbox.some((each) => each.id === id && each.state === "waiting"))
    tell(`${titleOf(result)}: saved on this device, not sent yet.`);
}

/** Enters a refused result anew as if it had just been written. @param {import("./store.js").Entry} entry */
export async function tryAgain(entry) {
  await keep({ ...entry, state: "waiting", problem: "" });
  now.outbox = await outbox();
  await send();
}

/** @param {import("./store.js").Entry} entry */
export async function discard(entry) {
  await forget(entry.id);
  now.outbox = await outbox();
  changed();
}

/** @type {Promise<void> | null} */
let underway = null;
/** Sends what waits. Two calls at once are one. */
export function send() {
  underway ??= sendAll().finally(() => {
    underway = null;
  });
  return underway;
}

async function sendAll() {
  let sent = 0;
  for (;;) {
    const waiting = ownOutbox().filter((each) => each.state === "waiting").slice(0, kMost);
    if (waiting.length === 0) break;
    let answer;
    try {
      answer = await call("POST", "/results/batch", { results: waiting.map((each) => each.result) });
    } catch (error) {
      if (error instanceof NoAnswer) now.connected = false;
      else if (error instanceof Refused && error.status === 401) lost();
      else tell(error instanceof Error ? error.message : String(error));
      break;
    }
    now.connected = true;
    await Promise.all(waiting.map((entry, i) => settle(entry, answer.results[i])));
    now.outbox = await outbox();
    sent += waiting.length;
  }
  if (sent > 0) await refresh();
  changed();
}

/** @param {import("./store.js").Entry} entry @param {any} answer */
async function settle(entry, answer) {
  if (answer && answer.status < 300) {
    await forget(entry.id);
    const more = (answer.warnings ?? []).join(" ");
    tell(`${titleOf(entry.result)}: ${kOutcome[answer.outcome] ?? "sent"}.${more ? ` ${more}` : ""}`);
    return;
  }
  const code = answer?.error?.code;
  if (code === "busy" || code === "stopping" || code === "slow_down") return; // it stays and is sent again
  const problem = answer?.error?.message ?? "The server gave no reason.";
  await keep({ ...entry, state: "refused", problem });
  tell(`${titleOf(entry.result)}: the server did not take it: ${problem}`);
}
