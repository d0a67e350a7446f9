// Sends files in pieces and says how far it has come. What the server has is asked first, so a broken
// line, a reload or a restart costs the piece in hand. Without this script the form sends them whole.

const form = document.querySelector("[data-bring]");
const zone = form.querySelector("[data-drop]");
const said = form.querySelector("[data-said]");
const sending = form.querySelector("[data-sending]");
const bar = form.querySelector("[data-bar]");
const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
const PAUSES = [1000, 2000, 5000, 10000];
const LITTER = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*|__MACOSX\/.*)$/i;
let busy = false;

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

class Refused extends Error {}

async function ask(address, options) {
  const response = await fetch(address, {
    method: "POST",
    credentials: "same-origin",
    ...options,
    headers: { "X-CSRFToken": token, ...options.headers },
  });
  if (window.jurybox?.endedAtLogin(response.url)) {
    window.jurybox.goToLogin();
    throw new Refused(gettext("Log in again; what was sent is kept."));
  }
  if (response.ok) return response.json();
  const reply = await response.json().catch(() => ({}));
  const words = reply.message ?? gettext("The server refused this (%(status)).", { status: response.status });
  // What a server cannot do just now, it may do in a moment.
  throw response.status >= 500 || response.status === 429 ? new Error(words) : new Refused(words);
}

// Tries again until the line is back; only a refusal ends it.
async function patiently(work, waiting) {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused) throw error;
      waiting();
      const pause = PAUSES[Math.min(tries, PAUSES.length - 1)];
      await new Promise((go) => {
        setTimeout(go, pause);
        addEventListener("online", go, { once: true });
      });
    }
  }
}

// The bytes from..to of all files one after the other.
function stretch(files, from, to) {
  const parts = [];
  let start = 0;
  for (const { file } of files) {
    const end = start + file.size;
    if (end > from && start < to)
      parts.push(file.slice(Math.max(0, from - start), Math.min(file.size, to - start)));
    start = end;
  }
  return new Blob(parts);
}

// Only pages that came over https, or from this machine, may compute it.
async function hash(blob) {
  if (!crypto.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sendAll(files) {
  const list = files.map(({ path, file }) => [path, file.size, file.lastModified]);
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const broken = () => (said.textContent = gettext("The line is broken. What was sent is kept; trying again …"));
  const batch = await patiently(
    () =>
      ask(form.dataset.bring, {
        body: JSON.stringify({ files: list }),
        headers: { "Content-Type": "application/json" },
      }),
    broken,
  );
  const have = new Set(batch.have);
  for (let number = 0; number < batch.pieces; number++) {
    if (!have.has(number)) {
      const from = number * batch.piece;
      const body = stretch(files, from, Math.min(total, from + batch.piece));
      const sha256 = await hash(body);
      await patiently(
        () =>
          ask(`${batch.address}${number}/`, {
            body,
            headers: { "Content-Type": "application/octet-stream", "X-Sha256": sha256 },
          }),
        broken,
      );
    }
    const done = Math.min(total, (number + 1) * batch.piece);
    bar.value = total ? (100 * done) / total : 100;
    said.textContent = gettext("%(done) of %(total) sent.", { done: megabytes(done), total: megabytes(total) });
  }
}

async function take(files) {
  const wanted = files.filter(({ path }) => !LITTER.test(path));
  if (busy || !wanted.length) return;
  busy = true;
  sending.hidden = false;
  bar.value = 0;
  try {
    await sendAll(wanted);
    said.textContent = gettext("Sent. The files are being checked …");
    // They are there; the form itself must not send them again.
    for (const input of form.querySelectorAll("[type=file]")) input.value = "";
    const look = document.createElement("input");
    Object.assign(look, { type: "hidden", name: "do", value: "look" });
    form.append(look);
    form.submit();
  } catch (error) {
    said.textContent = error instanceof Refused ? error.message : gettext("These files cannot be read.");
    sending.hidden = true;
    busy = false;
  }
}

const held = (input) =>
  [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

form.addEventListener("change", (event) => {
  if (event.target.type !== "file") return;
  event.stopPropagation();
  take(held(event.target));
});
// What was chosen before this script had come.
for (const input of form.querySelectorAll("[type=file]")) take(held(input));

// ---- dropped files and folders --------------------------------------------------------------------

const entries = (reader) => new Promise((done, failed) => reader.readEntries(done, failed));
const opened = (entry) => new Promise((done, failed) => entry.file(done, failed));

async function* walk(entry, before = "") {
  const path = before + entry.name;
  if (entry.isFile) {
    yield { path, file: await opened(entry) };
    return;
  }
  const reader = entry.createReader();
  // A browser hands over a hundred at a time.
  for (let some = await entries(reader); some.length; some = await entries(reader))
    for (const one of some) yield* walk(one, `${path}/`);
}

async function dropped(transfer) {
  const roots = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!roots.length) return [...transfer.files].map((file) => ({ path: file.name, file }));
  const found = [];
  for (const root of roots) for await (const one of walk(root)) found.push(one);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

zone.addEventListener("dragover", (event) => {
  event.preventDefault();
  zone.classList.add("over");
});
zone.addEventListener("dragleave", () => zone.classList.remove("over"));
zone.addEventListener("drop", async (event) => {
  event.preventDefault();
  zone.classList.remove("over");
  take(await dropped(event.dataTransfer));
});
