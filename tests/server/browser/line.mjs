// A line between the browser and the server that can be cut, as reception is.
import { connect, createServer } from "node:net";

export class Line {
  /** @param {number} port of the server */
  constructor(port) {
    this.port = port;
    this.sockets = new Set();
  }

  /** The port to connect to; the same one after every cut. */
  async open() {
    this.listener = createServer((near) => {
      const far = connect(this.port, "127.0.0.1");
      for (const [one, other] of [[near, far], [far, near]]) {
        this.sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.sockets.delete(one);
          other.destroy();
        });
      }
    });
    await new Promise((resolve, reject) => {
      this.listener.once("error", reject);
      this.listener.listen(this.own ?? 0, "127.0.0.1", resolve);
    });
    this.own = this.listener.address().port;
    return this.own;
  }

  async cut() {
    const closed = new Promise((resolve) => this.listener.close(resolve));
    for (const each of this.sockets) each.destroy();
    await closed;
  }
}
