// @ts-check
// The server's interface: docs/reference/study-api.yaml.

/** The server said no. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Nothing came back, or the server is busy: nothing is known, and sending again is safe. */
export class NoAnswer extends Error {
  constructor(message = "There is no connection to the server.") {
    super(message);
  }
}

const kPatience = 35000; // milliseconds
const kLongPatience = 600000; // for what is computed from everything known
const kLong = ["/assignments", "/redesign", "/stop"];

let csrf = "";
/** @param {string | undefined} token of the session */
export function useCsrf(token) {
  csrf = token ?? "";
}

/**
 * @param {string} method @param {string} path below /api/v1 @param {any} [body]
 * @param {boolean} [again] whether this is the second try
 * @returns {Promise<any>}
 */
export async function call(method, path, body, again = false) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  let response;
  let text;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(method === "POST" && kLong.includes(path) ? kLongPatience : kPatience),
    });
    text = await response.text();
  } catch {
    throw new NoAnswer();
  }
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return answer;
  const code = answer?.error?.code ?? "";
  const message = answer?.error?.message ?? `The server answered ${response.status}.`;
  if (response.status === 502 || response.status === 503 || response.status === 504 || (response.ok && answer === undefined))
    throw new NoAnswer("The server is busy or restarting.");
  if (response.status === 429 && code === "slow_down" && path !== "/session") throw new NoAnswer(message);
  if (code === "csrf" && !again) {
    useCsrf((await call("GET", "/session")).csrf);
    return call(method, path, body, true);
  }
  throw new Refused(response.status, code, message);
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An id of our own for something that is written, so that sending it twice is safe. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
}

/** `?a=1&b=2` of what is not empty. @param {Record<string, string | number | undefined>} values */
export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return words ? `?${words}` : "";
}
