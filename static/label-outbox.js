// The outbox of this browser, which loses nothing.
//
// Everything is put into the outbox before it is sent, and removed when the server has answered that
// it is saved (or why it is not). Sending twice is safe: the server knows a submission by its uuid.
// Everything is stored under the person's number, so the next person at this computer sends nothing
// of it.

const { endedAtLogin, goToLogin } = window.jurybox;
const { recall, remember } = window.jurybox.memory;
const labelling = document.getElementById("labelling");
const waitingLine = document.getElementById("waiting");
const person = labelling.dataset.person;

// ---- The outbox ---------------------------------------------------------------------------------
// Each entry has a key of its own, so that two tabs never write over each other's. The keys begin with
// the time, which is the order of sending.

const PREFIX = `jurybox.outbox.${person}.`;
let counter = 0;
let retryIn = 1000;
let retryTimer = 0;
let flushing = null;
let failing = false;

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).sort();
  } catch {
    return [];
  }
}

const outbox = () => keys().flatMap((key) => recall(key.slice("jurybox.".length), null) ?? []);
const entries = (entry) => (Array.isArray(entry.fields) ? entry.fields : Object.entries(entry.fields));
const field = (entry, name) => entries(entry).find(([key]) => key === name)?.[1];
const keyOf = (id) => keys().find((key) => recall(key.slice("jurybox.".length), {})?.id === id);

// An entry with the same `id` is replaced.
function putInOutbox(id, url, fields) {
  counter += 1;
  const fresh = `${PREFIX}${String(Date.now()).padStart(15, "0")}.${String(counter).padStart(6, "0")}.${id}`;
  remember((keyOf(id) ?? fresh).slice("jurybox.".length), { id, url, fields });
}

function takeFromOutbox(id) {
  const key = keyOf(id);
  if (key) remember(key.slice("jurybox.".length), null);
}

// Earlier versions kept all entries in one list.
for (const entry of recall(`outbox.${person}`, []))
  putInOutbox(entry.id ?? field(entry, "submission"), entry.url, entry.fields);
remember(`outbox.${person}`, null);

const waitsFor = (image) =>
  outbox().some((entry) => field(entry, "submission") && field(entry, "image") === image);

function showWaiting() {
  const count = outbox().length;
  const words = ngettext("%(number) answer waits here", "%(number) answers wait here", count);
  const state = failing || !navigator.onLine ? gettext("offline") : gettext("sending");
  waitingLine.textContent = count ? `${state} · ${words}` : "";
  return count;
}

// Two tabs do not send at the same time, and nothing is taken back while it is sent. Without locks
// (not on https) an answer may be sent twice, which the server notices.
const exclusively = (work) =>
  navigator.locks ? navigator.locks.request(`${PREFIX}sending`, work) : work();

const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1000));

// True if the answer was still here; then it is as if it had not been given. What is being sent ends
// first: without a connection that takes no time.
async function takeBack(id) {
  await Promise.race([flushing, seconds(2)]);
  if (flushing) return false;
  return exclusively(() => {
    const there = keyOf(id) !== undefined;
    takeFromOutbox(id);
    showWaiting();
    return there;
  });
}

function retryLater() {
  failing = true;
  clearTimeout(retryTimer);
  retryTimer = setTimeout(flush, retryIn);
  retryIn = Math.min(retryIn * 2, 60_000);
  showWaiting();
}

function retrySoon() {
  retryIn = 1000;
  failing = false;
}

function flush() {
  const { label } = window.jurybox;
  if (flushing || label.isSending()) return;
  clearTimeout(retryTimer);
  flushing = exclusively(sendAll)
    .then(retrySoon, retryLater)
    .finally(() => {
      flushing = null;
      showWaiting();
      label.lock();
    });
}

// In their order, also what is put in meanwhile.
async function sendAll() {
  const { label } = window.jurybox;
  for (let [entry] = outbox(); entry; [entry] = outbox()) {
    const answer = await fetch(entry.url, {
      method: "POST",
      // This page's token: a stored token may have expired with its session.
      headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
      body: new URLSearchParams(entries(entry)),
    });
    if (endedAtLogin(answer.url)) return goToLogin();
    if (answer.status === 403) loadAgain();
    if (mayWorkLater(answer.status)) throw new Error(String(answer.status));
    const html = await answer.text();
    takeFromOutbox(entry.id);
    failing = false;
    showWaiting();
    label.sent(entry, answer.ok, html);
  }
}

const mayWorkLater = (status) => status === 0 || status === 403 || status === 429 || status >= 500;

// The page's token is older than the session. Reloading brings a new token, or the log-in form; the
// answer waits in the outbox. At most once a minute, to avoid a loop.
function loadAgain() {
  const last = recall("loaded-again", 0);
  if (Date.now() - last < 60_000) return;
  remember("loaded-again", Date.now());
  location.reload();
}

addEventListener("online", () => {
  retrySoon();
  flush();
});

addEventListener("offline", showWaiting);

window.jurybox.outbox = {
  put: putInOutbox,
  take: takeFromOutbox,
  takeBack,
  count: () => outbox().length,
  field,
  flush,
  isFailing: () => failing || !navigator.onLine,
  loadAgain,
  mayWorkLater,
  retryLater,
  retrySoon,
  showWaiting,
  waitsFor,
};
