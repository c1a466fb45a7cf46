// @ts-check
// Who is here, and what this page knows of the study.
import { call, NoAnswer, Refused, useCsrf } from "./api.js";
import { copied, copy, forgetCopies, outbox } from "./store.js";

/**
 * @typedef {{user: string | null, role: string, units: string[] | null, csrf: string, sequence: number, login: boolean}} Session
 * @typedef {{unit: string, step: number, state: string, action: string, since: string, arm?: string,
 *   next_states: string[], result: any, conflicts: number[]}} Assignment
 */

/** What is known; `connected` is false where the last question had no answer. */
export const now = {
  /** @type {Session | null} */ session: null,
  /** @type {any} */ study: null,
  /** @type {Assignment[]} */ assignments: [],
  /** @type {import("./store.js").Entry[]} */ outbox: [],
  sequence: 0,
  openConflicts: 0,
  connected: true,
  /** When the copy was made that is shown instead of an answer. @type {string} */ copiedAt: "",
};

/** @type {Set<() => void>} */
const listeners = new Set();
/** @param {() => void} listener called after what is known changed */
export const onChange = (listener) => listeners.add(listener);
export const changed = () => listeners.forEach((each) => each());

export const isOwner = () => now.session?.role === "owner";
export const mayRecord = () => now.session?.role === "owner" || now.session?.role === "field";
export const seesAll = () => now.session?.role === "owner" || now.session?.role === "viewer";

/** Asks who is here; without a connection: who was. */
export async function findOut() {
  try {
    now.session = await call("GET", "/session");
    now.connected = true;
    useCsrf(now.session?.csrf);
    if (now.session?.user) await copy("session", { ...now.session, csrf: "" });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    now.connected = false;
    now.session = (await copied("session")) ?? null;
  }
  now.outbox = await outbox();
}

/** The study and what is to be done, from the server or from the copy of what it said last. */
export async function refresh() {
  if (!now.session?.user) return;
  try {
    const [study, assigned] = await Promise.all([call("GET", "/study"), call("GET", "/assignments")]);
    now.study = study;
    now.assignments = assigned.assignments;
    now.sequence = Math.max(assigned.sequence, study.sequence);
    now.connected = true;
    now.copiedAt = "";
    if (seesAll() || now.session.role === "field")
      now.openConflicts = (await call("GET", "/conflicts?open=1")).conflicts.length;
    const { sequence, openConflicts } = now;
    await copy("study", { study, assignments: now.assignments, sequence, openConflicts, at: new Date().toISOString() });
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return lost();
    if (!(error instanceof NoAnswer)) throw error;
    now.connected = false;
    const copyOf = now.study ? null : await copied("study");
    if (copyOf) {
      Object.assign(now, { study: copyOf.study, assignments: copyOf.assignments, sequence: copyOf.sequence, openConflicts: copyOf.openConflicts });
      now.copiedAt = copyOf.at;
    }
  }
  now.outbox = await outbox();
  changed();
}

/** Whether there are events that this page has not seen. */
export async function isBehind() {
  const found = await call("GET", `/events?since=${now.sequence}&limit=1`);
  now.connected = true;
  return found.sequence > now.sequence;
}

/** The session ended on the server: log in again; results that are not sent stay here. */
export function lost() {
  now.session = { user: null, role: "", units: null, csrf: "", sequence: 0, login: true };
  changed();
}

/** @param {string} name @param {string} password */
export async function logIn(name, password) {
  now.session = await call("POST", "/session", { name, password });
  useCsrf(now.session?.csrf);
  await forgetCopies();
  await copy("session", { ...now.session, csrf: "" });
  now.study = null;
  await refresh();
}

export async function logOut() {
  await call("DELETE", "/session");
  await forgetCopies();
  Object.assign(now, { study: null, assignments: [], openConflicts: 0 });
  await findOut();
  changed();
}

/** The total of numbers that people here have not sent. */
export const ownOutbox = () => now.outbox.filter((each) => each.user === now.session?.user && each.study === now.study?.id);
export const othersOutbox = () => now.outbox.filter((each) => each.user !== now.session?.user);
