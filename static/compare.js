// The page Compare: a key is a vote. Votes go through the browser's outbox, as answers about images do.

const { outbox } = window.jurybox;
const labelling = document.getElementById("labelling");
const state = document.getElementById("state");

let since = 0;
let busy = false;

const workplace = () => document.getElementById("workplace");
const form = () => document.getElementById("votes");
const sides = () => document.getElementById("sides");
const open = () =>
  [...(form()?.querySelectorAll("fieldset.vote") ?? [])].find(
    (question) => !question.querySelector("input:checked"),
  );

function say(words) {
  state.textContent = words;
}

// No vote without both pictures.
function lock() {
  const pictures = [...(sides()?.querySelectorAll("img") ?? [])];
  const there = pictures.every((picture) => picture.complete && picture.naturalWidth);
  for (const question of form()?.querySelectorAll("fieldset.vote") ?? [])
    question.disabled = busy || !there;
  labelling.dataset.picture = there ? "shown" : "loading";
}

async function begin() {
  busy = false;
  lock();
  const mine = workplace();
  const button = document.getElementById("send-vote");
  // The last vote sends.
  if (button) button.hidden = true;
  try {
    await Promise.all([...(sides()?.querySelectorAll("img") ?? [])].map((one) => one.decode()));
  } catch {
    if (mine === workplace()) document.getElementById("no-picture").hidden = false;
    return;
  }
  if (mine !== workplace()) return;
  since = performance.now();
  lock();
}

function swap(html) {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("workplace");
  if (!next) return;
  workplace().replaceWith(next);
  begin();
}

// Whether this key is a vote now.
function vote(key) {
  const question = open();
  const input = question && !question.disabled && question.querySelector(`input[data-key="${key}"]`);
  if (input) choose(input);
  return Boolean(input);
}

function choose(input) {
  input.checked = true;
  if (!open()) send();
}

function send() {
  if (busy) return;
  form().elements.seconds.value = String((performance.now() - since) / 1000);
  const fields = [...new FormData(form())].filter(([name]) => name !== "csrfmiddlewaretoken");
  busy = true;
  lock();
  outbox.put(form().elements.submission.value, form().getAttribute("action"), fields);
  outbox.showWaiting();
  outbox.flush();
}

// What the outbox asks of the page that it works for.
window.jurybox.label = {
  isSending: () => false,
  lock,
  sent(entry, ok, html) {
    if (new URL(entry.url, location.href).pathname !== labelling.dataset.compare) return;
    if (!ok) {
      say(gettext("That vote was not taken. Load the page again."));
      return;
    }
    // Also an older vote that waited: the reply is the pair in hand.
    say(gettext("saved"));
    swap(html);
  },
};

async function verb(name) {
  const asked = workplace().querySelector(`form[data-verb="${name}"]`);
  if (!asked || busy) return;
  busy = true;
  lock();
  try {
    const answer = await fetch(asked.action, {
      method: "POST",
      headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
      body: new URLSearchParams(new FormData(asked)),
    });
    if (window.jurybox.endedAtLogin(answer.url)) {
      window.jurybox.goToLogin();
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    say("");
    swap(await answer.text());
  } catch {
    busy = false;
    lock();
    say(gettext("There is no connection. Try again."));
  }
}

// ---- Zoom: both at once, at the same place ------------------------------------------------------

function zoom() {
  const on = sides()?.classList.toggle("zoomed") ?? false;
  workplace().querySelector("[data-do=zoom]")?.setAttribute("aria-pressed", String(on));
}

document.addEventListener("pointermove", (event) => {
  const frame = event.target.closest?.(".frame");
  if (!frame || !sides().classList.contains("zoomed")) return;
  const box = frame.getBoundingClientRect();
  sides().style.setProperty("--at-x", `${((event.clientX - box.left) / box.width) * 100}%`);
  sides().style.setProperty("--at-y", `${((event.clientY - box.top) / box.height) * 100}%`);
});

// ---- The lease on the pair ----------------------------------------------------------------------

const RENEW_EVERY = 120_000;

function renew() {
  if (document.hidden || !workplace().dataset.pair) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  // If it fails nothing is lost: a vote on a pair that ran out takes its place again.
  fetch(labelling.dataset.alive, { method: "POST", headers }).catch(() => {});
}

setInterval(renew, RENEW_EVERY);
document.addEventListener("visibilitychange", renew);

// Closing the page gives the pair back at once, unless a vote still waits here. (The server ignores
// this for a page that was only reloaded.)
addEventListener("pagehide", () => {
  const { pair } = workplace().dataset;
  if (!pair || outbox.count()) return;
  const words = new FormData();
  words.append(
    "csrfmiddlewaretoken",
    JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"],
  );
  words.append("pair", pair);
  navigator.sendBeacon(labelling.dataset.release, words);
});

// Restored from the browser's cache: somebody else may have the pair by now.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// ---- Swipes: sideways only, for up and down scroll the page -------------------------------------

const SWIPE = 60;
let from = null;

document.addEventListener("pointerdown", (event) => {
  const begins = event.pointerType === "touch" && event.isPrimary && event.target.closest(".sides");
  from = begins && !sides().classList.contains("zoomed") ? event : null;
});

document.addEventListener("pointercancel", () => {
  from = null;
});

document.addEventListener("pointerup", (event) => {
  if (!from || event.pointerId !== from.pointerId) return;
  const [across, along] = [event.clientX - from.clientX, event.clientY - from.clientY];
  from = null;
  if (Math.abs(across) < SWIPE || Math.abs(across) < 2 * Math.abs(along)) return;
  vote(across < 0 ? "ArrowLeft" : "ArrowRight");
});

// ---- Keys and clicks ----------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "u") verb("undo");
  else if (key === "s") verb("skip");
  else if (key === "z") zoom();
  else if (vote(key)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=zoom]")) zoom();
  // A click by the pointer, not the one that arrow keys make among radio buttons.
  else if (event.target.matches("#votes input[type=radio]") && !open()) send();
});

document.addEventListener("submit", (event) => {
  const asked = event.target.dataset.verb;
  if (event.target !== form() && !asked) return;
  event.preventDefault();
  if (asked) verb(asked);
  else if (!open()) send();
});

outbox.flush();
begin();
