// The labelling page: keys, drafts, and an outbox that loses nothing.
//
// An answer is written to the outbox before it is sent and leaves it when the server has said that
// it is saved (or why it is not). Sending twice is safe: the server knows a submission by its uuid.
// What is on the page is the state; the server's reply to an answer is the next form.

const { endedAtLogin, goToLogin } = window.jurybox;

const labelling = document.getElementById("labelling");
const stateLine = document.getElementById("state");
const waitingLine = document.getElementById("waiting");
const help = document.getElementById("help");
const person = labelling.dataset.person;
const SIGN_OF_LIFE = 120_000;
const DRAFTS_KEPT = 50;

let workplace = null;
let said = "";
let sending = false;

// ---- Memory of this browser ---------------------------------------------------------------------
// Everything is kept under the person's number: the next one at this computer sends nothing of it.

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

const draftsKey = `drafts.${person}`;
const draftName = () => `${workplace.dataset.image}/${workplace.dataset.form}`;

function saveDraft() {
  const drafts = recall(draftsKey, {});
  delete drafts[draftName()];
  drafts[draftName()] = chosen();
  remember(draftsKey, Object.fromEntries(Object.entries(drafts).slice(-DRAFTS_KEPT)));
}

function dropDraft(image, form) {
  const drafts = recall(draftsKey, {});
  delete drafts[`${image}/${form}`];
  remember(draftsKey, drafts);
}

const setting = (name) => recall(`setting.${name}`, false);

// ---- The outbox ---------------------------------------------------------------------------------

const outboxKey = `outbox.${person}`;
const outbox = () => recall(outboxKey, []);
let retryIn = 1000;
let retryTimer = 0;
let flushing = false;
let unsent = 0;

function putInOutbox(url, fields) {
  remember(outboxKey, [...outbox().filter((one) => one.fields.submission !== fields.submission), { url, fields }]);
}

function takeFromOutbox(submission) {
  remember(outboxKey, outbox().filter((one) => one.fields.submission !== submission));
}

function showWaiting() {
  unsent = outbox().length;
  waitingLine.textContent = unsent
    ? `${unsent} ${unsent === 1 ? "answer waits" : "answers wait"} here and will be sent`
    : "";
}

function retryLater() {
  clearTimeout(retryTimer);
  retryTimer = setTimeout(flush, retryIn);
  retryIn = Math.min(retryIn * 2, 60_000);
}

async function flush() {
  if (flushing || sending) return;
  flushing = true;
  clearTimeout(retryTimer);
  try {
    for (const { url, fields } of outbox()) {
      const answer = await fetch(url, {
        method: "POST",
        // The token of this page: the one that was stored may have ended with its session.
        headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
        body: new URLSearchParams(fields),
      });
      if (endedAtLogin(answer.url)) return goToLogin();
      if (answer.status === 403) loadAgain();
      if (mayWorkLater(answer.status))
        throw new Error(String(answer.status));
      takeFromOutbox(fields.submission);
      const html = await answer.text();
      if (answer.ok) arriveFromOutbox(html, url, fields);
      else show(parsed(html).getElementById("sentence")?.textContent ?? "That answer was not taken");
    }
    retryIn = 1000;
  } catch {
    retryLater();
  } finally {
    flushing = false;
    showWaiting();
    lock();
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

const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

function arriveFromOutbox(html, url, fields) {
  const next = parsed(html).getElementById("workplace");
  if (!next) return;
  if (!("refused" in next.dataset)) dropDraft(fields.image, fields.form);
  // It may have waited from another study; its next image belongs to the other page.
  if (new URL(url, location.href).pathname !== location.pathname) return;
  if (workplace.dataset.image === next.dataset.image && !("refused" in next.dataset)) return;
  said = "refused" in next.dataset ? "" : "saved";
  htmx.swap("#workplace", html, { swapStyle: "outerHTML" });
}

// The form of an answer that is under way or waits must not change: the first one sent counts.
function lock() {
  const waits = outbox().some((one) => one.fields.image === workplace.dataset.image);
  labelling.classList.toggle("sending", sending || waits);
  const form = answers();
  if (form) form.inert = sending || waits;
}

// ---- What is on the page ------------------------------------------------------------------------

const answers = () => document.getElementById("answers");
const questions = () => [...document.querySelectorAll(".question")];
const checkedIn = (question) => question.querySelector("input:checked");
const missing = () => questions().filter((question) => !checkedIn(question));

const chosen = () =>
  Object.fromEntries(questions().map((q) => checkedIn(q)).filter(Boolean).map((i) => [i.name, i.value]));

const current = () =>
  document.activeElement?.closest?.(".question") ?? missing()[0] ?? questions()[0];

function show(sentence) {
  stateLine.textContent = sentence;
}

function mark(question, options) {
  const input = checkedIn(question) ?? question.querySelector("input");
  input.focus(options);
}

function choose(question, key) {
  const input = question.querySelector(`input[data-key="${key}"]`);
  if (!input) return false;
  input.checked = true;
  saveDraft();
  goOn(question);
  return true;
}

// Fresh questions: the answer that completes them sends. Answers that came back (undo, a draft)
// are walked through once more: the last question sends.
function goOn(question) {
  const all = questions();
  const open = missing();
  const after = all.slice(all.indexOf(question) + 1);
  const next = after.find((one) => open.includes(one)) ?? open[0] ?? ("correcting" in workplace.dataset ? after[0] : null);
  if (next) mark(next);
  else if (setting("wait-for-enter")) {
    show("Enter sends");
    answers().querySelector(".primary").focus({ preventScroll: true });
  } else send();
}

function send() {
  answers()?.requestSubmit();
}

function chooseAllYes() {
  const yes = questions().map((question) => question.querySelector('input[data-key="y"]'));
  if (!yes.length || yes.includes(null)) return;
  for (const input of yes) input.checked = true;
  saveDraft();
  if (setting("wait-for-enter")) show("Enter sends");
  else send();
}

// ---- A new image has arrived --------------------------------------------------------------------

let visibleSince = 0;
let visibleFor = 0;

function secondsLooked() {
  return (visibleFor + (document.hidden ? 0 : performance.now() - visibleSince)) / 1000;
}

function arrive() {
  const now = document.getElementById("workplace");
  if (!now || now === workplace) return;
  workplace = now;
  sending = false;
  visibleFor = 0;
  visibleSince = performance.now();
  if (workplace.dataset.upcoming) new Image().src = workplace.dataset.upcoming;
  const instructions = document.getElementById("instructions");
  if (instructions) instructions.open = recall("instructions", instructions.open);
  // The browser's own check would say the same less kindly; without scripts it stays.
  if (answers()) answers().noValidate = true;
  const allYes = workplace.querySelector('[data-do="all-yes"]');
  if (allYes) allYes.hidden = !questions().every((one) => one.querySelector('[data-key="y"]'));
  restoreDraft();
  lock();
  tell();
  const question = missing()[0] ?? questions()[0];
  if (question) mark(question, { preventScroll: true });
}

function restoreDraft() {
  const draft = recall(draftsKey, {})[draftName()];
  if (!draft || "correcting" in workplace.dataset) return;
  for (const question of questions())
    for (const input of question.querySelectorAll("input"))
      if (draft[input.name] === input.value) input.checked = true;
  if (!missing().length) workplace.dataset.correcting = "";
  said ||= "your choices from before are back";
}

function tell() {
  const words = said;
  said = "";
  if (!words) return;
  const picture = workplace.querySelector(".stage img");
  const whole = () => show(picture && words !== "taken back" ? `${words} · next is ready` : words);
  if (!picture || picture.complete || words !== "saved") whole();
  else {
    show(words);
    picture.addEventListener("load", whole, { once: true });
  }
}

// However the next form comes in, by htmx or from the outbox, it is met before it is painted.
new MutationObserver(arrive).observe(labelling, { childList: true });

// ---- Sending ------------------------------------------------------------------------------------

const SAID = { send: "saved", skip: "skipped", undo: "taken back" };

// Before htmx sees it: complete the form, write it down, then let it go.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (form.dataset.verb && sending) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (form.dataset.verb !== "send") return;
    const [open] = missing();
    if (open) {
      event.preventDefault();
      event.stopImmediatePropagation();
      show("This question has no answer yet");
      mark(open);
      return;
    }
    form.elements.seconds.value = secondsLooked().toFixed(2);
    const fields = Object.fromEntries(new FormData(form));
    delete fields.csrfmiddlewaretoken;
    putInOutbox(form.action, fields);
  },
  true,
);

document.addEventListener("htmx:beforeSend", ({ target }) => {
  if (!target.dataset?.verb) return;
  sending = true;
  lock();
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const verb = detail.requestConfig.elt.dataset.verb;
  if (!verb || endedAtLogin(detail.xhr.responseURL) || detail.isError) return;
  const { submission, image, form } = workplace.dataset;
  const refused = detail.serverResponse.includes("data-refused");
  if (verb === "send") {
    takeFromOutbox(submission);
    retryIn = 1000;
  }
  if (verb !== "undo" && !refused) dropDraft(image, form);
  said = refused ? "" : SAID[verb];
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const verb = detail.requestConfig.elt.dataset.verb;
  if (!verb) return;
  sending = false;
  if (detail.successful) {
    showWaiting();
    return;
  }
  const { status } = detail.xhr;
  // A refusal is an answer: it will not go better the second time. Its sentence is in #refusal.
  if (verb === "send" && !mayWorkLater(status)) takeFromOutbox(workplace.dataset.submission);
  if (status === 403) loadAgain();
  if (verb !== "send" && status === 0) show("No connection; try that again later");
  showWaiting();
  lock();
  if (unsent) retryLater();
});

addEventListener("online", () => {
  retryIn = 1000;
  flush();
});

// ---- Keys ---------------------------------------------------------------------------------------

const ACTIONS = {
  help: () => (help.open ? help.close() : help.showModal()),
  instructions: () => {
    const instructions = document.getElementById("instructions");
    if (!instructions) return;
    instructions.open = !instructions.open;
    if (instructions.open) instructions.scrollIntoView({ block: "nearest" });
  },
  zoom: () => toggleZoom(),
  "all-yes": () => chooseAllYes(),
  undo: () => document.querySelector('[data-verb="undo"]')?.requestSubmit(),
  skip: () => document.querySelector('[data-verb="skip"]')?.requestSubmit(),
};
const LETTERS = { "?": "help", i: "instructions", z: "zoom", a: "all-yes", u: "undo", s: "skip" };
let byArrow = false;

document.addEventListener("keydown", (event) => {
  byArrow = event.key.startsWith("Arrow");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !byArrow) return;
  if (help.open || event.target.matches("input:not([type=radio]), textarea, select")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (zoomed() && (byArrow || key === "Escape")) {
    if (byArrow) panBy(...ARROWS[key]);
    else toggleZoom();
    event.preventDefault();
    return;
  }
  if (key === "Enter") {
    if (event.target.matches("button, a, summary")) return;
    event.preventDefault();
    if (!sending) send();
    return;
  }
  if (key.length !== 1 || (setting("no-letters") && key !== "?")) return;
  if (LETTERS[key]) {
    if (sending && key !== "?" && key !== "i") return;
    event.preventDefault();
    ACTIONS[LETTERS[key]]();
  } else if (!sending && !answers()?.inert && current() && choose(current(), key)) {
    event.preventDefault();
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) ACTIONS[button.dataset.do]();
});

labelling.addEventListener("pointerdown", () => {
  byArrow = false;
});

// Arrow keys only walk through the choices of a question; a click, a tap or the space bar decides.
labelling.addEventListener("change", (event) => {
  if (!event.target.matches(".question input")) return;
  saveDraft();
  if (!byArrow) goOn(event.target.closest(".question"));
});

labelling.addEventListener(
  "toggle",
  (event) => {
    if (event.target.id === "instructions") remember("instructions", event.target.open);
  },
  true,
);

for (const box of help.querySelectorAll("[data-setting]")) {
  box.checked = setting(box.dataset.setting);
  box.addEventListener("change", () => remember(`setting.${box.dataset.setting}`, box.checked));
}

// ---- Zoom ---------------------------------------------------------------------------------------

const ARROWS = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };
const stage = () => document.querySelector(".stage");
const zoomed = () => Boolean(stage()?.classList.contains("zoomed"));
let pan = { x: 0, y: 0, zoom: 3 };

function toggleZoom() {
  if (!stage()) return;
  const on = stage().classList.toggle("zoomed");
  pan = { x: 0, y: 0, zoom: 3 };
  place();
  document.querySelector('[data-do="zoom"]').setAttribute("aria-pressed", String(on));
}

function place() {
  const box = stage();
  // Some of the image always stays in sight.
  const reach = (size) => (size * pan.zoom) / 2;
  pan.x = Math.max(-reach(box.clientWidth), Math.min(reach(box.clientWidth), pan.x));
  pan.y = Math.max(-reach(box.clientHeight), Math.min(reach(box.clientHeight), pan.y));
  const { style } = box.querySelector("img");
  style.setProperty("--pan-x", `${pan.x}px`);
  style.setProperty("--pan-y", `${pan.y}px`);
  style.setProperty("--zoom", pan.zoom);
}

function panBy(x, y) {
  pan.x += x;
  pan.y += y;
  place();
}

labelling.addEventListener("pointermove", (event) => {
  if (zoomed() && event.buttons & 1 && event.target.closest(".stage"))
    panBy(event.movementX, event.movementY);
});

labelling.addEventListener(
  "wheel",
  (event) => {
    if (!zoomed() || !event.target.closest(".stage")) return;
    event.preventDefault();
    pan.zoom = Math.max(1, Math.min(8, pan.zoom * (event.deltaY < 0 ? 1.2 : 1 / 1.2)));
    place();
  },
  { passive: false },
);

// ---- The lease on the image ---------------------------------------------------------------------

function beat() {
  if (document.hidden || !workplace.dataset.image) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const body = new URLSearchParams({ image: workplace.dataset.image });
  // A missed beat costs nothing: the lease is longer than five of them.
  fetch(labelling.dataset.alive, { method: "POST", headers, body }).catch(() => {});
}

setInterval(beat, SIGN_OF_LIFE);

document.addEventListener("visibilitychange", () => {
  if (document.hidden) visibleFor += performance.now() - visibleSince;
  else {
    visibleSince = performance.now();
    beat();
  }
});

// Closing the page gives the image back at once. (The server overlooks the farewell of a page that
// was only loaded again.)
addEventListener("pagehide", () => {
  const { image } = workplace.dataset;
  if (!image || outbox().some((one) => one.fields.image === image)) return;
  const farewell = new FormData();
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  farewell.append("csrfmiddlewaretoken", token);
  farewell.append("image", image);
  navigator.sendBeacon(labelling.dataset.release, farewell);
});

// Back out of the browser's memory: that image may be somebody else's by now.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

arrive();
showWaiting();
flush();
