// The page opens without a connection: its files are kept here. What the server knows (/api) is never kept.
const kCache = "page";
const kFiles = [
  "/",
  "/style.css",
  "/app.js",
  "/api.js",
  "/audit.js",
  "/conflicts.js",
  "/dom.js",
  "/map.js",
  "/overview.js",
  "/people.js",
  "/record.js",
  "/results.js",
  "/sending.js",
  "/session.js",
  "/store.js",
  "/today.js",
  "/icon.svg",
  "/manifest.webmanifest",
];

// All files or none, so that parts of two versions never meet.
async function refresh() {
  const answers = await Promise.all(kFiles.map((each) => fetch(each, { cache: "no-cache", redirect: "error" })));
  if (answers.some((each) => !each.ok)) throw new Error("not all files of the page came");
  const cache = await caches.open(kCache);
  await Promise.all(answers.map((each, i) => cache.put(kFiles[i], each)));
}

self.addEventListener("install", (event) => {
  event.waitUntil(refresh().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  const path = url.pathname === "/index.html" ? "/" : url.pathname;
  if (!kFiles.includes(path)) return;
  event.respondWith(kept(event.request, path));
  // A new version of the page is shown the next time it is opened.
  if (event.request.mode === "navigate") event.waitUntil(refresh().catch(() => undefined));
});

async function kept(request, path) {
  const cache = await caches.open(kCache);
  return (await cache.match(path)) ?? fetch(request);
}
