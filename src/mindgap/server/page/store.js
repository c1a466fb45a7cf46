// @ts-check
// What stays on this device: results that are not sent yet, and a copy of what the server said last.

/**
 * A result as it was entered here. `state` of it: waiting (to be sent), refused (by the server, with `problem`).
 * @typedef {{id: string, user: string, study: string, state: "waiting" | "refused", problem: string, result: any}} Entry
 */

/** @type {Promise<IDBDatabase | null> | null} */
let opened = null;
/** Where the browser keeps nothing: gone with the page. @type {Map<string, Map<string, any>>} */
const memory = new Map([["outbox", new Map()], ["copies", new Map()]]);
let keeps = true;
/** Whether results survive that the page is closed. */
export const isKept = () => keeps;

function database() {
  opened ??= new Promise((resolve) => {
    const fail = () => {
      keeps = false;
      resolve(null);
    };
    try {
      const request = indexedDB.open("mindgap-study", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("outbox", { keyPath: "id" });
        request.result.createObjectStore("copies", { keyPath: "name" });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = fail;
      request.onblocked = fail;
    } catch {
      fail();
    }
  });
  return opened;
}

/** @param {"outbox" | "copies"} name @param {"readonly" | "readwrite"} mode @param {(store: IDBObjectStore) => IDBRequest} deed */
async function within(name, mode, deed) {
  const found = await database();
  if (!found) return undefined;
  return new Promise((resolve, reject) => {
    const transaction = found.transaction(name, mode, mode === "readwrite" ? { durability: "strict" } : {});
    const request = deed(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error("this device could not store it"));
  });
}

/** @param {Entry} entry returns when the device has it */
export async function keep(entry) {
  await within("outbox", "readwrite", (store) => store.put(entry));
  if (!keeps) memory.get("outbox")?.set(entry.id, entry);
}

/** @param {string} id */
export async function forget(id) {
  await within("outbox", "readwrite", (store) => store.delete(id));
  memory.get("outbox")?.delete(id);
}

/** @returns {Promise<Entry[]>} oldest first */
export async function outbox() {
  const all = (await within("outbox", "readonly", (store) => store.getAll())) ?? [...(memory.get("outbox")?.values() ?? [])];
  return all.sort((/** @type {Entry} */ a, /** @type {Entry} */ b) => (a.result.at < b.result.at ? -1 : 1));
}

/** Copies what the server said, for when there is no connection. @param {string} name @param {any} value */
export async function copy(name, value) {
  await within("copies", "readwrite", (store) => store.put({ name, value })).catch(() => undefined);
}

/** @param {string} name @returns {Promise<any>} */
export async function copied(name) {
  const found = await within("copies", "readonly", (store) => store.get(name)).catch(() => undefined);
  return found?.value;
}

/** Somebody logs out: copies of the study go, results that are not sent stay. */
export async function forgetCopies() {
  await within("copies", "readwrite", (store) => store.clear()).catch(() => undefined);
}
