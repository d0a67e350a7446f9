// The label page: sending, and what happens when a new image comes in. The server's reply to an answer
// is the next form. Keys and answers are in label-answer.js.

const { endedAtLogin } = window.jurybox;
const { recall, remember, setting, saveDraft, draftOf, dropDraft } = window.jurybox.memory;
const { outbox, form, stage, picture, reserve, tabs, own, answering } = window.jurybox;
const { show } = answering;

const labelling = document.getElementById("labelling");
const flag = document.getElementById("flag");
const pause = document.getElementById("break");
const BREAK_AFTER = 25 * 60_000;

let workplace = null;
let notice = "";
let sending = false;
// The form as it came, for when an answer is taken back before it was sent.
let asCame = "";
// Answers given on this page that wait in the outbox, the last one last: { submission, image, html }.
let waitingAnswers = [];

const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

// An answer that is being sent or waits must not be changed: the first one sent counts. And nobody
// answers without the picture.
function lock() {
  const waits = outbox.waitsFor(workplace.dataset.image);
  labelling.classList.toggle("sending", sending || waits);
  const answers = form.form();
  if (answers) answers.inert = isLocked();
}

const isLocked = () =>
  sending || !tabs.isActive() || !picture.isShown() || outbox.waitsFor(workplace.dataset.image);

// ---- Replies to what the outbox sent ------------------------------------------------------------

function sent(entry, ok, html) {
  const image = outbox.field(entry, "image");
  waitingAnswers = waitingAnswers.filter(({ submission }) => submission !== entry.id);
  if (!ok) {
    show(parsed(html).getElementById("sentence")?.textContent ?? gettext("That answer was not taken"));
    return;
  }
  const next = parsed(html).getElementById("workplace");
  if (!next) return;
  const refused = "refused" in next.dataset;
  if (!refused) dropDraft(image, outbox.field(entry, "form"));
  // It may have been for another study, whose next image does not belong on this page.
  if (!new URL(entry.url, location.href).pathname.startsWith(labelPath())) return;
  // Whoever went on without a connection is further than this reply.
  if (workplace.dataset.image && workplace.dataset.image !== image) {
    if (refused) say(next.querySelector(".refused").textContent);
    else if (!outbox.count()) show(gettext("saved"));
    reserve.fill();
    return;
  }
  if (workplace.dataset.image === next.dataset.image && !refused) return;
  notice = refused ? "" : "saved";
  swap(html);
}

const labelPath = () => new URL(labelling.dataset.flag, location.href).pathname.replace(/flag\/$/, "");
const swap = (html) => htmx.swap("#workplace", html, { swapStyle: "outerHTML" });

// Stays until the next answer was sent.
function say(sentence) {
  const line = document.createElement("p");
  line.textContent = gettext("An answer that waited here was not saved: %(sentence)", { sentence });
  document.getElementById("refusal").replaceChildren(line);
}

// ---- Without a connection -----------------------------------------------------------------------

// The next form of the reserve. Without one the page waits, and its answer is kept.
function goOnWithout() {
  const following = reserve.next(workplace.dataset.image);
  if (following) return swapHere(following.html);
  if (outbox.isFailing())
    show(gettext("No more images are here without a connection. Your answers are kept and will be sent."));
  lock();
}

// A form that was here already; the instructions stay.
function swapHere(html) {
  const instructions = document.getElementById("instructions");
  swap(html);
  if (instructions && !document.getElementById("instructions"))
    document.querySelector("#workplace .panel")?.append(instructions);
}

// Answers wait, so this one is taken back here, not on the server.
async function undoHere() {
  const last = waitingAnswers.at(-1);
  if (!last || !(await outbox.takeBack(last.submission))) {
    show(gettext("Answers are being sent; try that again in a moment"));
    return;
  }
  waitingAnswers = waitingAnswers.filter((one) => one !== last);
  const current = { image: workplace.dataset.image, html: asCame };
  if (current.image === last.image) reserve.reopen(last.image);
  else reserve.putBack(last.image, current);
  notice = gettext("taken back");
  swapHere(last.html);
}

window.jurybox.label = { isSending: () => sending, sent, lock };

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
  asCame = plain(now);
  sending = false;
  reserve.arrived(workplace, waitingAnswers);
  picture.watch(workplace, onPicture);
  if (workplace.querySelector(".stage.edit")) import(labelling.dataset.edit);
  stage.reset();
  startClock();
  const instructions = document.getElementById("instructions");
  if (instructions) instructions.open = recall("instructions", instructions.open);
  restoreDraft();
  answering.showForm();
  lock();
  own.showTimeLeft();
  showNotice();
  // On a phone the questions were scrolled to; show the image first.
  if (scrollY) scrollTo(0, labelling.offsetTop);
  if (picture.isShown()) markFirst();
}

// What scripts drew on the picture is drawn again; as HTML the page would refuse its styles.
function plain(element) {
  element.querySelector(".picture-layer")?.remove();
  for (const styled of element.querySelectorAll("[style]")) styled.removeAttribute("style");
  const html = element.outerHTML;
  window.jurybox.marks?.draw();
  return html;
}

function markFirst() {
  answering.markFirst();
  reserve.fill();
}

// The picture has come, or has failed.
function onPicture() {
  lock();
  if (!picture.isShown()) return;
  startClock();
  stage.reset();
  markFirst();
}

function startClock() {
  visibleFor = 0;
  visibleSince = performance.now();
}

function restoreDraft() {
  const { image, form: version } = workplace.dataset;
  const draft = draftOf(image, version);
  if (!draft?.length) return;
  form.fill(draft);
  form.showWhatIsAsked();
  if (!form.missing().length) workplace.dataset.correcting = "";
  notice ||= gettext("your choices from before are back");
}

function showNotice() {
  let words = notice;
  notice = "";
  if (words === "saved" && Date.now() - workingSince > BREAK_AFTER && !setting("no-breaks")) {
    workingSince = Date.now();
    words = gettext("saved · you have worked for 25 minutes; P is a break");
  }
  if (!words) return;
  show(words === gettext("saved") && workplace.dataset.image ? gettext("saved · next is ready") : words);
}

// Runs before the next form is painted, whether htmx or the outbox brought it.
new MutationObserver(onNewImage).observe(labelling, { childList: true });

// ---- Sending ------------------------------------------------------------------------------------

const NOTICES = { send: gettext("saved"), skip: gettext("skipped"), undo: gettext("taken back") };

// Before htmx sends it: check the form, and put it into the outbox.
document.addEventListener(
  "submit",
  (event) => {
    const answers = event.target;
    const { verb } = answers.dataset;
    if (!verb) return;
    const hold = () => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (sending || !tabs.isActive()) return hold();
    // What waits goes first, so that everything is sent in its order.
    const waiting = outbox.count() > 0;
    if (verb === "undo" && waiting) {
      hold();
      undoHere();
    } else if (verb === "skip" && waiting && !outbox.waitsFor(workplace.dataset.image)) {
      hold();
      skipLater();
      outbox.flush();
    } else if (verb === "send") {
      if (isLocked()) return hold();
      if (!answering.isComplete()) return hold();
      putAnswer(answers);
      if (!waiting) return;
      hold();
      answerLater();
      outbox.flush();
    }
  },
  true,
);

function putAnswer(answers) {
  answers.elements.seconds.value = secondsLooked().toFixed(2);
  own.worked(secondsLooked());
  const fields = [...new FormData(answers)].filter(([name]) => name !== "csrfmiddlewaretoken");
  outbox.put(workplace.dataset.submission, answers.action, fields);
}

// The answer is in the outbox.
function answerLater() {
  const { submission, image } = workplace.dataset;
  waitingAnswers.push({ submission, image, html: asCame });
  outbox.showWaiting();
  notice = gettext("kept here");
  goOnWithout();
}

function skipLater() {
  const { image } = workplace.dataset;
  const url = document.querySelector('form[data-verb="skip"]').action;
  outbox.put(`skip ${image}`, url, [["image", image]]);
  outbox.showWaiting();
  notice = "skipped";
  goOnWithout();
}

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
  if (verb === "undo")
    reserve.reopen(parsed(detail.serverResponse).getElementById("workplace")?.dataset.image);
  else if ((verb === "send" || verb === "skip") && !refused) reserve.finished(image);
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
  const later = outbox.mayWorkLater(status) && status !== 403;
  if (verb === "send" && later) answerLater();
  else if (verb === "skip" && later) skipLater();
  else if (status === 0) show(gettext("No connection; try that again later"));
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
  show(gettext("flagged; thank you"));
  outbox.flush();
});

pause.addEventListener("close", () => location.reload());

// ---- Keys ---------------------------------------------------------------------------------------

const press = (verb) => {
  const control = document.querySelector(`[data-verb="${verb}"]`);
  if (control?.requestSubmit) control.requestSubmit();
  else control?.click();
};

const actions = {
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

labelling.addEventListener(
  "toggle",
  (event) => {
    if (event.target.id === "instructions") remember("instructions", event.target.open);
  },
  true,
);

// ---- The lease on the image ---------------------------------------------------------------------

function renewLease() {
  if (document.hidden || pause.open || !tabs.isActive() || !workplace.dataset.held) return;
  reserve.renew();
}

setInterval(renewLease, reserve.RENEW_EVERY);

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
  if (!held || !tabs.isActive() || outbox.count()) return;
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

answering.begin({
  isLocked,
  isBusy: () => sending,
  isCorrecting: () => "correcting" in workplace.dataset,
  kept: () => {
    if (form.form()) saveDraft(workplace.dataset.image, workplace.dataset.form, form.pairs());
  },
  waits: () => (form.waitsForEnter() ? gettext("Enter sends") : ""),
  send: () => form.form()?.requestSubmit(),
  inDialog: (dialog, event) => dialog === flag && chooseReason(event),
  actions,
});
onNewImage();
tabs.begin(lock);
outbox.showWaiting();
outbox.flush();
