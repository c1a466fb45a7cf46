// A headless Chromium over its DevTools pipe, without any package: messages are JSON, ended by a zero byte.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Chromium {
  // `more`: flags besides those that every test wants.
  constructor(program, more = []) {
    this.folder = mkdtempSync(join(tmpdir(), "mindgap-browser-"));
    const flags = [
      "--headless=new",
      "--remote-debugging-pipe",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--hide-scrollbars",
      `--user-data-dir=${this.folder}`,
      ...more,
    ];
    if (process.getuid() === 0) flags.push("--no-sandbox");
    this.child = spawn(program, [...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    });
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    this.said = "";
    this.child.stderr.on("data", (data) => {
      this.said = (this.said + data).slice(-4000);
    });
    this.child.stdio[3].on("error", () => {});
    this.gone = new Promise((resolve) => {
      this.child.on("error", (error) => resolve(`cannot start ${program}: ${error.message}`));
      this.child.on("exit", (code) => resolve(`${program} ended with ${code}: ${this.said}`));
    });
    let buffer = "";
    this.child.stdio[4].setEncoding("utf8").on("data", (data) => {
      buffer += data;
      const messages = buffer.split("\0");
      buffer = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else if (waiting) waiting.resolve(message.result);
    else for (const listener of this.listeners) listener(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { method, resolve, reject }));
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return Promise.race([answer, this.gone.then((why) => Promise.reject(new Error(why)))]);
  }

  // A tab; with a context (Target.createBrowserContext) it shares cookies and storage with that one's alone.
  async tab(browserContextId = undefined) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId, targetId);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab.send(`${domain}.enable`);
    return tab;
  }

  async close() {
    await this.send("Browser.close").catch(() => {});
    await this.gone;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

class Tab {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, complaints: [], requests: [] });
    browser.listeners.push((message) => message.sessionId === session && this.hear(message));
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // What a page must not do: complain, or ask for anything.
  hear({ method, params }) {
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((each) => each.value ?? each.description).join(" "));
    if (method === "Runtime.exceptionThrown")
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Page.loadEventFired") this.loaded?.();
  }

  async size(width, height) {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: width < 500 ? 2 : 1,
      mobile: width < 500,
    });
  }

  async open(url) {
    const loaded = new Promise((resolve) => {
      this.loaded = resolve;
    });
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  // The value of an expression; a promise is awaited.
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(expression, seconds = 30) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
      if (await this.value(expression)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`not within ${seconds} s: ${expression}`);
  }

  async screenshot() {
    const { cssContentSize: whole } = await this.send("Page.getLayoutMetrics");
    const clip = { x: 0, y: 0, width: whole.width, height: Math.min(whole.height, 12000), scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
      captureBeyondViewport: true,
      clip,
    });
    return Buffer.from(data, "base64");
  }

  async pdf() {
    const { data } = await this.send("Page.printToPDF", { printBackground: false });
    return Buffer.from(data, "base64");
  }
}
