// What a person sets for themselves in this browser: keys of their own, and how long it still takes.

const { recall, remember, setting } = window.jurybox.memory;
const labelling = document.getElementById("labelling");
const dialog = document.getElementById("own-keys");
const refusedLine = dialog.querySelector("[role=alert]");
const { person, study } = labelling.dataset;

// ---- Keys ---------------------------------------------------------------------------------------

const keysKey = `keys.${person}`;
const KEYS = {
  yes: "y",
  no: "n",
  "all-yes": "a",
  undo: "u",
  skip: "s",
  flag: "f",
  back: ",",
  next: ".",
  zoom: "z",
  view: "v",
  flip: "x",
  difference: "d",
  instructions: "i",
  pause: "p",
  help: "?",
};
// These always mean the same.
const TAKEN = { "+": gettext("zoom in"), "=": gettext("zoom in"), "-": gettext("zoom out"), " ": gettext("the choice that is marked") };
const rows = [...dialog.querySelectorAll("[data-key-of]")];
const nameOf = (action) => rows.find((row) => row.dataset.keyOf === action)?.dataset.name ?? action;
const own = () => ({ ...KEYS, ...recall(keysKey, {}) });
let listening = null;

const keyFor = (action) => own()[action];
const actionOf = (key) => Object.keys(KEYS).find((action) => own()[action] === key);

// The letter of a form's own choice that this key would answer.
const choiceWith = (key) =>
  [...document.querySelectorAll("#answers input[data-key]")]
    .find((input) => input.dataset.key === key && !"yn".includes(key))
    ?.closest(".choice")
    ?.textContent.trim();

function refusal(action, key) {
  if (key.length !== 1) return gettext("Choose a letter or a sign.");
  if (/\d/.test(key)) return gettext("Digits stand for the choices of a question; %(key) cannot be given.", { key });
  if (TAKEN[key]) return gettext("“%(key)” is taken: %(action).", { key, action: TAKEN[key] });
  const other = actionOf(key);
  if (other && other !== action)
    return gettext("“%(key)” is “%(action)” already. Give that another key first.", {
      key: key.toUpperCase(),
      action: nameOf(other),
    });
  return "";
}

function choose(event) {
  if (!listening || ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  const row = listening;
  listening = null;
  if (event.key !== "Escape") {
    const key = event.key.toLowerCase();
    const words = refusal(row.dataset.keyOf, key);
    refusedLine.textContent = words;
    if (!words) {
      remember(keysKey, { ...own(), [row.dataset.keyOf]: key });
      const choice = choiceWith(key);
      if (choice) refusedLine.textContent = gettext("Where a question has “%(choice)”, that comes first.", { choice });
    }
  }
  show();
}

function show() {
  for (const row of rows) row.textContent = row === listening ? gettext("press a key") : label(row.dataset.keyOf);
  for (const mark of document.querySelectorAll("#help kbd[data-of]")) mark.textContent = label(mark.dataset.of);
  showOnPage();
}

const label = (action) => keyFor(action).toUpperCase();

// The keys that the buttons and choices of the page show.
function showOnPage() {
  for (const [action, usual] of Object.entries(KEYS)) {
    const places = `[data-do="${action}"] kbd, [data-verb="${action}"] kbd`;
    for (const mark of labelling.querySelectorAll(places)) mark.textContent = label(action);
    if (action !== "yes" && action !== "no") continue;
    for (const input of labelling.querySelectorAll(`.choice input[data-key="${usual}"]`)) {
      const mark = input.closest(".choice").querySelector("kbd:not(.number)");
      if (mark) mark.textContent = label(action);
    }
  }
}

// What the page's own key for this is: somebody's “j” is its “y”. A key that was given away is nothing.
function usual(key) {
  const action = actionOf(key);
  if (action) return KEYS[action];
  return Object.values(KEYS).includes(key) ? "" : key;
}

for (const row of rows)
  row.addEventListener("click", () => {
    refusedLine.textContent = "";
    listening = row;
    show();
  });
dialog.addEventListener("keydown", choose, true);
dialog.addEventListener("close", () => {
  listening = null;
});
dialog.querySelector("[data-usual]").addEventListener("click", () => {
  remember(keysKey, null);
  refusedLine.textContent = "";
  show();
});

// ---- Time left ----------------------------------------------------------------------------------

const paceKey = `pace.${person}.${study}`;
const REMEMBERED = 30;
const ENOUGH = 5;

// Where somebody went for a coffee, the median does not mind.
function worked(seconds) {
  remember(paceKey, [...recall(paceKey, []), Math.round(seconds * 10) / 10].slice(-REMEMBERED));
}

function timeLeft(images) {
  const pace = recall(paceKey, []).sort((a, b) => a - b);
  if (pace.length < ENOUGH || !images) return "";
  const minutes = (pace[Math.floor(pace.length / 2)] * images) / 60;
  if (minutes < 1) return gettext("less than a minute left");
  if (minutes < 90) return ngettext("about %(number) minute left", "about %(number) minutes left", Math.round(minutes));
  return gettext("about %(hours) hours left", { hours: Math.round(minutes / 60) });
}

function showTimeLeft() {
  const line = document.getElementById("time-left");
  if (!line) return;
  const words = setting("no-time") ? "" : timeLeft(Number(line.dataset.left));
  line.textContent = words ? ` · ${words}` : "";
}

show();

window.jurybox.own = { usual, showOnPage, worked, showTimeLeft, openKeys: () => dialog.showModal() };
