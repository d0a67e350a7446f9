// Answering by key and pointer: what the label page and the practice page have in common.

const { remember, setting } = window.jurybox.memory;
const { form, stage, picture, own } = window.jurybox;

const labelling = document.getElementById("labelling");
const stateLine = document.getElementById("state");
const help = document.getElementById("help");
const view = document.getElementById("view");

// What the page is asked and told:
//   isLocked()      nobody can answer now
//   isBusy()        an answer is on its way: only help and instructions
//   isCorrecting()  all was answered before: the person goes through all questions again
//   kept()          after each answer
//   waits()         the last answer does not send by itself, and what is said then
//   send()          everything is answered
//   inDialog(d, e)  a key in an open dialog
//   actions         by name, beside those below
// Until the page's own script has begun, a click may come already: it chooses, and nothing more.
let page = {
  isLocked: () => true,
  isBusy: () => true,
  isCorrecting: () => false,
  kept: () => {},
  waits: () => "",
  send: () => {},
  inDialog: () => {},
  actions: {},
};

function show(sentence) {
  stateLine.textContent = sentence;
}

// ---- Answering ----------------------------------------------------------------------------------

function keep() {
  form.showWhatIsAsked();
  page.kept();
  showAtomQuestion();
}

function goOn(question) {
  const next = form.nextAfter(question, page.isCorrecting());
  if (next) form.mark(next);
  else complete();
}

function complete() {
  const words = page.waits();
  if (!words) return page.send();
  show(words);
  form.form().querySelector(".primary").focus({ preventScroll: true });
}

function allYes() {
  if (page.isLocked() || !form.canSayAllYes()) return;
  const last = form.sayAllYes();
  keep();
  if (form.missing().length || (form.isAtom(last) && page.isCorrecting())) goOn(last);
  else complete();
}

// Whether every question has its answer; the first one without is marked.
function isComplete() {
  const [open] = form.missing();
  if (!open) return true;
  show(gettext("This question has no answer yet"));
  form.mark(open);
  return false;
}

// Show the full question of the marked atom.
function showAtomQuestion() {
  for (const line of document.querySelectorAll(".about")) {
    const atom = line.parentNode.querySelector(".atom:focus-within");
    line.textContent = atom?.dataset.about ?? "";
  }
}

// ---- A new image --------------------------------------------------------------------------------

function showForm() {
  // We check the form ourselves, with better messages; without scripts the browser does it.
  if (form.form()) form.form().noValidate = true;
  form.showWhatIsAsked();
  letPromptScroll();
  const button = document.querySelector('#workplace [data-do="all-yes"]');
  if (button) button.hidden = !form.canSayAllYes();
  own.showOnPage();
  stage.showLight();
}

// A prompt that is longer than its box can be reached by Tab, to be scrolled with the arrow keys.
function letPromptScroll() {
  for (const box of document.querySelectorAll("#workplace :is(.prompt-text, .prompt.caption, .parts)")) {
    if (box.scrollHeight <= box.clientHeight + 1) continue;
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", gettext("The prompt"));
  }
}

function markFirst() {
  const question = form.missing()[0] ?? form.questions()[0];
  if (question) form.mark(question, { preventScroll: true });
  showAtomQuestion();
}

// ---- Keys ---------------------------------------------------------------------------------------

const ACTIONS = {
  help: () => {
    help.showModal();
    help.scrollTop = 0;
  },
  instructions: () => {
    const instructions = document.getElementById("instructions");
    if (!instructions) return;
    instructions.open = !instructions.open;
    if (instructions.open) instructions.scrollIntoView({ block: "nearest" });
  },
  zoom: () => stage.toggleZoom(),
  larger: () => stage.zoomBy(1.5),
  smaller: () => stage.zoomBy(1 / 1.5),
  fit: () => stage.zoomTo(1),
  plain: stage.plainLight,
  view: () => view.togglePopover(),
  "own-keys": () => {
    help.close();
    own.openKeys();
  },
  retry: picture.retry,
  "all-yes": allYes,
  flip: () => edit("flip"),
  difference: () => edit("difference"),
};
// What pictures of edits need is fetched with the first of them.
const edit = (verb) =>
  document.querySelector(".stage.edit") && import(labelling.dataset.edit).then((module) => module[verb]());

const LETTERS = {
  "?": "help",
  i: "instructions",
  z: "zoom",
  v: "view",
  x: "flip",
  d: "difference",
  a: "all-yes",
  u: "undo",
  s: "skip",
  f: "flag",
  p: "pause",
  ",": "back",
  ".": "next",
};
const WHILE_BUSY = new Set(["?", "i"]);
const IN_TROUBLE = { r: "retry" };
let byArrow = false;

document.addEventListener("keydown", (event) => {
  byArrow = event.key.startsWith("Arrow");
  if (!page || event.ctrlKey || event.metaKey || event.altKey || (event.repeat && !byArrow)) return;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) return page.inDialog?.(dialog, event);
  const typing = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=range])");
  let key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "Enter" && !event.shiftKey) return enter(event, typing);
  if (typing) {
    // Leave the text field, so that the keys work again.
    if (key === "Escape") event.target.blur();
    return;
  }
  // The arrow keys move a slider that has the focus.
  if (event.target.matches("[type=range]") && key.length > 1) return;
  if (key === "Escape" && view.matches(":popover-open")) return view.hidePopover();
  // A letter that the marked question shows for a choice comes before a person's own keys.
  if (!form.current()?.querySelector(`input[data-key="${CSS.escape(key)}"]`) || "yn".includes(key))
    key = own.usual(key);
  if (stage.takeKey(key)) {
    event.preventDefault();
    return;
  }
  if (key.length !== 1 || (setting("no-letters") && key !== "?")) return;
  if (picture.isTrouble() && IN_TROUBLE[key]) {
    event.preventDefault();
    ACTIONS[IN_TROUBLE[key]]();
  } else if (!page.isLocked() && answer(key)) {
    event.preventDefault();
  } else if (LETTERS[key] && (!page.isBusy() || WHILE_BUSY.has(key))) {
    event.preventDefault();
    ACTIONS[LETTERS[key]]?.();
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
  if (event.target.matches("button, a, summary") || !form.form()) return;
  event.preventDefault();
  if (page.isLocked()) return;
  const question = form.current();
  const walks = question && (typing || !form.isChosenOnce(question));
  if (walks && !form.missing().includes(question)) goOn(question);
  else page.send();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) ACTIONS[button.dataset.do]?.();
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
  if (event.target.matches(".question textarea, .question input[type=number], [data-marks]")) keep();
});

labelling.addEventListener("focusin", showAtomQuestion);

view.addEventListener("toggle", ({ newState }) => {
  const open = newState === "open";
  for (const button of document.querySelectorAll('[data-do="view"]'))
    button.setAttribute("aria-expanded", String(open));
  stage.showLight();
});

for (const box of help.querySelectorAll("[data-setting]")) {
  box.checked = setting(box.dataset.setting);
  box.addEventListener("change", () => {
    remember(`setting.${box.dataset.setting}`, box.checked);
    own.showTimeLeft();
  });
}

window.jurybox.answering = {
  begin: (given) => {
    page = given;
    Object.assign(ACTIONS, given.actions);
  },
  show,
  showForm,
  markFirst,
  isComplete,
};
