// The label page: keys, sending, and what happens when a new image comes in. The server's reply to
// an answer is the next form.

const { endedAtLogin } = window.jurybox;
const { recall, remember, setting, saveDraft, draftOf, dropDraft } = window.jurybox.memory;
const { outbox, form, stage } = window.jurybox;

const labelling = document.getElementById("labelling");
const stateLine = document.getElementById("state");
const help = document.getElementById("help");
const flag = document.getElementById("flag");
const pause = document.getElementById("break");
const RENEW_EVERY = 120_000;
const BREAK_AFTER = 25 * 60_000;

let workplace = null;
let notice = "";
let sending = false;

function show(sentence) {
  stateLine.textContent = sentence;
}

const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

// An answer that is being sent or waits must not be changed: the first one sent counts.
function lock() {
  const waits = outbox.waitsFor(workplace.dataset.image);
  labelling.classList.toggle("sending", sending || waits);
  const answers = form.form();
  if (answers) answers.inert = sending || waits;
}

// ---- Replies to what the outbox sent ------------------------------------------------------------

function sent(entry, ok, html) {
  if (!ok) {
    show(parsed(html).getElementById("sentence")?.textContent ?? "That answer was not taken");
    return;
  }
  const next = parsed(html).getElementById("workplace");
  if (!next) return;
  const refused = "refused" in next.dataset;
  if (!refused) dropDraft(outbox.field(entry, "image"), outbox.field(entry, "form"));
  // It may have been for another study, whose next image does not belong on this page.
  if (new URL(entry.url, location.href).pathname !== labelPath()) return;
  if (workplace.dataset.image === next.dataset.image && !refused) return;
  notice = refused ? "" : "saved";
  htmx.swap("#workplace", html, { swapStyle: "outerHTML" });
}

const labelPath = () => new URL(labelling.dataset.flag, location.href).pathname.replace(/flag\/$/, "");

window.jurybox.label = { isSending: () => sending, sent, lock };

// ---- Answering ----------------------------------------------------------------------------------

function keep() {
  form.showWhatIsAsked();
  if (form.form()) saveDraft(workplace.dataset.image, workplace.dataset.form, form.pairs());
  showAtomQuestion();
}

function goOn(question) {
  const next = form.nextAfter(question, "correcting" in workplace.dataset);
  if (next) form.mark(next);
  else if (form.waitsForEnter()) {
    show("Enter sends");
    form.form().querySelector(".primary").focus({ preventScroll: true });
  } else send();
}

function send() {
  form.form()?.requestSubmit();
}

function allYes() {
  if (!form.canSayAllYes()) return;
  const last = form.sayAllYes();
  keep();
  if (form.missing().length) goOn(last);
  else if (form.waitsForEnter()) show("Enter sends");
  else if (form.isAtom(last) && "correcting" in workplace.dataset) goOn(last);
  else send();
}

// Show the full question of the marked atom.
function showAtomQuestion() {
  for (const line of document.querySelectorAll(".about")) {
    const atom = line.parentNode.querySelector(".atom:focus-within");
    line.textContent = atom?.dataset.about ?? "";
  }
}

// ---- A new image --------------------------------------------------------------------------------

let visibleSince = 0;
let visibleFor = 0;
let workingSince = Date.now();

function secondsLooked() {
  return (visibleFor + (document.hidden ? 0 : performance.now() - visibleSince)) / 1000;
}

function onNewImage() {
  const now = document.getElementById("workplace");
  if (!now || now === workplace) return;
  workplace = now;
  sending = false;
  visibleFor = 0;
  visibleSince = performance.now();
  if (workplace.dataset.upcoming) new Image().src = workplace.dataset.upcoming;
  const instructions = document.getElementById("instructions");
  if (instructions) instructions.open = recall("instructions", instructions.open);
  // We check the form ourselves, with better messages; without scripts the browser does it.
  if (form.form()) form.form().noValidate = true;
  restoreDraft();
  form.showWhatIsAsked();
  const button = workplace.querySelector('[data-do="all-yes"]');
  if (button) button.hidden = !form.canSayAllYes();
  lock();
  showNotice();
  // On a phone the questions were scrolled to; show the image first.
  if (scrollY) scrollTo(0, labelling.offsetTop);
  const question = form.missing()[0] ?? form.questions()[0];
  if (question) form.mark(question, { preventScroll: true });
  showAtomQuestion();
}

function restoreDraft() {
  const { image, form: version } = workplace.dataset;
  const draft = draftOf(image, version);
  if (!draft?.length) return;
  form.fill(draft);
  form.showWhatIsAsked();
  if (!form.missing().length) workplace.dataset.correcting = "";
  notice ||= "your choices from before are back";
}

function showNotice() {
  let words = notice;
  notice = "";
  if (words === "saved" && Date.now() - workingSince > BREAK_AFTER && !setting("no-breaks")) {
    workingSince = Date.now();
    words = "saved · you have worked for 25 minutes; P is a break";
  }
  if (!words) return;
  const picture = workplace.querySelector(".stage img");
  const whole = () => show(picture && words === "saved" ? "saved · next is ready" : words);
  if (!picture || picture.complete || words !== "saved") whole();
  else {
    show(words);
    picture.addEventListener("load", whole, { once: true });
  }
}

// Runs before the next form is painted, whether htmx or the outbox brought it.
new MutationObserver(onNewImage).observe(labelling, { childList: true });

// ---- Sending ------------------------------------------------------------------------------------

const NOTICES = { send: "saved", skip: "skipped", undo: "taken back" };

// Before htmx sends it: check the form, and put it into the outbox.
document.addEventListener(
  "submit",
  (event) => {
    const answers = event.target;
    if (answers.dataset.verb && sending) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (answers.dataset.verb !== "send") return;
    const [open] = form.missing();
    if (open) {
      event.preventDefault();
      event.stopImmediatePropagation();
      show("This question has no answer yet");
      form.mark(open);
      return;
    }
    answers.elements.seconds.value = secondsLooked().toFixed(2);
    const fields = [...new FormData(answers)].filter(([name]) => name !== "csrfmiddlewaretoken");
    outbox.put(workplace.dataset.submission, answers.action, fields);
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
  const { submission, image, form: version } = workplace.dataset;
  const refused = detail.serverResponse.includes("data-refused");
  if (verb === "send") {
    outbox.take(submission);
    outbox.retrySoon();
  }
  if ((verb === "send" || verb === "skip") && !refused) dropDraft(image, version);
  notice = refused ? "" : NOTICES[verb] ?? "";
  if (!notice) show("");
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const verb = detail.requestConfig.elt.dataset.verb;
  if (!verb) return;
  sending = false;
  if (detail.successful) {
    outbox.showWaiting();
    return;
  }
  const { status } = detail.xhr;
  // A refusal is final: sending again gives the same. Its sentence is in #refusal.
  if (verb === "send" && !outbox.mayWorkLater(status)) outbox.take(workplace.dataset.submission);
  if (status === 403) outbox.loadAgain();
  if (verb !== "send" && status === 0) show("No connection; try that again later");
  const waits = outbox.showWaiting();
  lock();
  if (waits) outbox.retryLater();
});

// ---- Flags and breaks ---------------------------------------------------------------------------

flag.addEventListener("close", () => {
  if (flag.returnValue !== "flag") return;
  const { image } = workplace.dataset;
  const fields = [["image", image], ...new FormData(flag.querySelector("form"))];
  outbox.put(`flag ${image}`, labelling.dataset.flag, fields);
  flag.querySelector("form").reset();
  document.querySelector('[data-do="flag"]')?.setAttribute("aria-pressed", "true");
  show("flagged; thank you");
  outbox.flush();
});

pause.addEventListener("close", () => location.reload());

// ---- Keys ---------------------------------------------------------------------------------------

const press = (verb) => {
  const control = document.querySelector(`[data-verb="${verb}"]`);
  if (control?.requestSubmit) control.requestSubmit();
  else control?.click();
};

const ACTIONS = {
  help: () => (help.open ? help.close() : help.showModal()),
  instructions: () => {
    const instructions = document.getElementById("instructions");
    if (!instructions) return;
    instructions.open = !instructions.open;
    if (instructions.open) instructions.scrollIntoView({ block: "nearest" });
  },
  zoom: stage.toggleZoom,
  "all-yes": allYes,
  undo: () => press("undo"),
  skip: () => press("skip"),
  back: () => press("back"),
  next: () => press("next"),
  flag: () => {
    if (!workplace.dataset.image) return;
    flag.returnValue = "";
    flag.showModal();
  },
  unflag: () => flag.close(""),
  pause: () => {
    if (!workplace.dataset.held) return;
    giveBackImage("pause");
    pause.showModal();
  },
};
const LETTERS = {
  "?": "help",
  i: "instructions",
  z: "zoom",
  a: "all-yes",
  u: "undo",
  s: "skip",
  f: "flag",
  p: "pause",
  ",": "back",
  ".": "next",
};
const WHILE_SENDING = new Set(["?", "i"]);
let byArrow = false;

document.addEventListener("keydown", (event) => {
  byArrow = event.key.startsWith("Arrow");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !byArrow) return;
  if (help.open || pause.open) return;
  if (flag.open) return chooseReason(event);
  const typing = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "Enter" && !event.shiftKey) return enter(event, typing);
  if (typing) {
    // Leave the text field, so that the keys work again.
    if (key === "Escape") event.target.blur();
    return;
  }
  if (stage.takeKey(key)) {
    event.preventDefault();
    return;
  }
  if (key.length !== 1 || (setting("no-letters") && key !== "?")) return;
  if (!sending && !form.form()?.inert && answer(key)) {
    event.preventDefault();
  } else if (LETTERS[key] && (!sending || WHILE_SENDING.has(key))) {
    event.preventDefault();
    ACTIONS[LETTERS[key]]();
  }
});

// Keys go to the marked question first, then to the atoms in the prompt, then to the page.
function answer(key) {
  const question = form.current();
  if (question && form.choose(question, key)) {
    keep();
    if (form.isChosenOnce(question)) goOn(question);
    return true;
  }
  const atom = form.atomAt(key);
  if (!atom) return false;
  form.turnRound(atom);
  keep();
  return true;
}

function enter(event, typing) {
  if (event.target.matches("button, a, summary")) return;
  event.preventDefault();
  if (sending) return;
  const question = form.current();
  const walks = question && (typing || !form.isChosenOnce(question));
  if (walks && !form.missing().includes(question)) goOn(question);
  else send();
}

function chooseReason(event) {
  if (event.target.matches("textarea") && !(event.key === "Enter" && !event.shiftKey)) return;
  const reason = flag.querySelector(`input[data-key="${event.key}"]`);
  if (reason) {
    reason.checked = true;
    reason.focus();
  } else if (event.key === "Enter" && !event.target.matches("button"))
    flag.querySelector("form").requestSubmit(flag.querySelector(".primary"));
  else return;
  event.preventDefault();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) ACTIONS[button.dataset.do]();
});

labelling.addEventListener("pointerdown", () => {
  byArrow = false;
});

// Arrow keys only move through the choices of a question; a click, a tap or the space bar answers.
labelling.addEventListener("change", (event) => {
  const question = event.target.closest(".question");
  if (!question) return;
  keep();
  if (!byArrow && form.isChosenOnce(question)) goOn(question);
});

labelling.addEventListener("input", (event) => {
  if (event.target.matches(".question textarea, .question input[type=number]")) keep();
});

labelling.addEventListener("focusin", showAtomQuestion);

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

// ---- The lease on the image ---------------------------------------------------------------------

function renewLease() {
  if (document.hidden || pause.open || !workplace.dataset.held) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const body = new URLSearchParams({ image: workplace.dataset.held });
  // If one request fails nothing is lost: the lease is longer than five of these pauses.
  fetch(labelling.dataset.alive, { method: "POST", headers, body }).catch(() => {});
}

setInterval(renewLease, RENEW_EVERY);

document.addEventListener("visibilitychange", () => {
  if (document.hidden) visibleFor += performance.now() - visibleSince;
  else {
    visibleSince = performance.now();
    renewLease();
  }
});

// Closing the page, or a break, gives the image back at once. (The server ignores this for a page
// that was only reloaded.)
function giveBackImage(pausing) {
  const { held } = workplace.dataset;
  if (!held || outbox.waitsFor(held)) return;
  const words = new FormData();
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  words.append("csrfmiddlewaretoken", token);
  words.append("image", held);
  if (pausing === "pause") words.append("pause", "yes");
  navigator.sendBeacon(labelling.dataset.release, words);
}

addEventListener("pagehide", giveBackImage);

// Restored from the browser's cache: somebody else may have the image by now.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

onNewImage();
outbox.showWaiting();
outbox.flush();
