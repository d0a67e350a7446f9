// What this browser stores for labelling: drafts, settings, and an outbox that loses nothing.
//
// Everything is put into the outbox before it is sent, and removed when the server has answered that
// it is saved (or why it is not). Sending twice is safe: the server knows a submission by its uuid.
// Everything is stored under the person's number, so the next person at this computer sends nothing
// of it.

const { endedAtLogin, goToLogin } = window.jurybox;
const labelling = document.getElementById("labelling");
const waitingLine = document.getElementById("waiting");
const person = labelling.dataset.person;
const DRAFTS_KEPT = 50;

function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`jurybox.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`jurybox.${key}`);
    else localStorage.setItem(`jurybox.${key}`, JSON.stringify(value));
  } catch {
    // Without storage answers are still sent, but cannot wait for a connection.
  }
}

const setting = (name) => recall(`setting.${name}`, false);

// ---- Drafts -------------------------------------------------------------------------------------
// A draft is a list of [field name, value], as a form sends them: several choices are several pairs.

const draftsKey = `drafts.${person}`;

function saveDraft(image, form, pairs) {
  const drafts = recall(draftsKey, {});
  delete drafts[`${image}/${form}`];
  drafts[`${image}/${form}`] = pairs;
  remember(draftsKey, Object.fromEntries(Object.entries(drafts).slice(-DRAFTS_KEPT)));
}

function draftOf(image, form) {
  const draft = recall(draftsKey, {})[`${image}/${form}`];
  return Array.isArray(draft) ? draft : null;
}

function dropDraft(image, form) {
  const drafts = recall(draftsKey, {});
  delete drafts[`${image}/${form}`];
  remember(draftsKey, drafts);
}

// ---- The outbox ---------------------------------------------------------------------------------

const outboxKey = `outbox.${person}`;
const outbox = () => recall(outboxKey, []).map((entry) => ({ ...entry, id: entry.id ?? field(entry, "submission") }));
const entries = (entry) => (Array.isArray(entry.fields) ? entry.fields : Object.entries(entry.fields));
const field = (entry, name) => entries(entry).find(([key]) => key === name)?.[1];
let retryIn = 1000;
let retryTimer = 0;
let flushing = false;

// An entry with the same `id` is replaced.
function putInOutbox(id, url, fields) {
  remember(outboxKey, [...outbox().filter((entry) => entry.id !== id), { id, url, fields }]);
}

function takeFromOutbox(id) {
  remember(outboxKey, outbox().filter((entry) => entry.id !== id));
}

const waitsFor = (image) =>
  outbox().some((entry) => field(entry, "submission") && field(entry, "image") === image);

function showWaiting() {
  const count = outbox().length;
  waitingLine.textContent = count
    ? `${count} ${count === 1 ? "answer is waiting" : "answers are waiting"} here and will be sent`
    : "";
  return count;
}

function retryLater() {
  clearTimeout(retryTimer);
  retryTimer = setTimeout(flush, retryIn);
  retryIn = Math.min(retryIn * 2, 60_000);
}

function retrySoon() {
  retryIn = 1000;
}

async function flush() {
  const { label } = window.jurybox;
  if (flushing || label.isSending()) return;
  flushing = true;
  clearTimeout(retryTimer);
  try {
    for (const entry of outbox()) {
      const answer = await fetch(entry.url, {
        method: "POST",
        // This page's token: a stored token may have expired with its session.
        headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
        body: new URLSearchParams(entries(entry)),
      });
      if (endedAtLogin(answer.url)) return goToLogin();
      if (answer.status === 403) loadAgain();
      if (mayWorkLater(answer.status)) throw new Error(String(answer.status));
      takeFromOutbox(entry.id);
      label.sent(entry, answer.ok, await answer.text());
    }
    retrySoon();
  } catch {
    retryLater();
  } finally {
    flushing = false;
    showWaiting();
    label.lock();
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

window.jurybox.memory = { recall, remember, setting, saveDraft, draftOf, dropDraft };
window.jurybox.outbox = {
  put: putInOutbox,
  take: takeFromOutbox,
  field,
  flush,
  loadAgain,
  mayWorkLater,
  retryLater,
  retrySoon,
  showWaiting,
  waitsFor,
};
