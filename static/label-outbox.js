// What this browser remembers of labelling: drafts, settings, and an outbox that loses nothing.
//
// Whatever is sent is written to the outbox first and leaves it when the server has said that it is
// saved (or why it is not). Sending twice is safe: the server knows a submission by its uuid.
// Everything is kept under the person's number: the next one at this computer sends nothing of it.

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
    // No storage: answers are still sent, they only cannot wait.
  }
}

const setting = (name) => recall(`setting.${name}`, false);

// ---- Drafts -------------------------------------------------------------------------------------
// Pairs of a field's name and a value, as a form sends them: several choices are several pairs.

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
const outbox = () => recall(outboxKey, []).map((one) => ({ ...one, id: one.id ?? field(one, "submission") }));
const entries = (one) => (Array.isArray(one.fields) ? one.fields : Object.entries(one.fields));
const field = (one, name) => entries(one).find(([key]) => key === name)?.[1];
let retryIn = 1000;
let retryTimer = 0;
let flushing = false;

// `id` tells one thing to send from another: put in again, it replaces itself.
function putInOutbox(id, url, fields) {
  remember(outboxKey, [...outbox().filter((one) => one.id !== id), { id, url, fields }]);
}

function takeFromOutbox(id) {
  remember(outboxKey, outbox().filter((one) => one.id !== id));
}

const waitsFor = (image) =>
  outbox().some((one) => field(one, "submission") && field(one, "image") === image);

function showWaiting() {
  const count = outbox().length;
  waitingLine.textContent = count
    ? `${count} ${count === 1 ? "answer waits" : "answers wait"} here and will be sent`
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
    for (const one of outbox()) {
      const answer = await fetch(one.url, {
        method: "POST",
        // The token of this page: the one that was stored may have ended with its session.
        headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
        body: new URLSearchParams(entries(one)),
      });
      if (endedAtLogin(answer.url)) return goToLogin();
      if (answer.status === 403) loadAgain();
      if (mayWorkLater(answer.status)) throw new Error(String(answer.status));
      takeFromOutbox(one.id);
      label.sent(one, answer.ok, await answer.text());
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

// The page's token is older than the session. A fresh page brings a fresh token, or the log-in form;
// the answer waits in the outbox meanwhile. Once a minute at most, lest it goes round in circles.
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
