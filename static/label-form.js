// The questions on the page: which are shown, what is answered, and which is marked next. The page
// itself is the state.

const { setting } = window.jurybox.memory;

const form = () => document.getElementById("answers");
const everything = () => [...document.querySelectorAll("#answers .question")];
const questions = () => everything().filter((item) => !item.disabled);
const isAtom = (question) => question.classList.contains("atom");
const isTyped = (question) => question.querySelector("textarea, input[type=number], [data-marks]");
const isChosenOnce = (question) => question.dataset.kind === "choice";

function given(question) {
  const typed = isTyped(question);
  if (typed) return typed.value.trim() ? [typed.value.trim()] : [];
  return [...question.querySelectorAll("input:checked")].map((input) => input.value);
}

const isOpen = (question) => !given(question).length;
const missing = () => questions().filter((item) => isOpen(item) && !("optional" in item.dataset));

// ---- Conditions ---------------------------------------------------------------------------------

function holds({ question, above, oneOf }) {
  const values = questions()
    .filter((item) => item.dataset.name === question)
    .flatMap(given);
  return values.some((value) => (above === undefined ? oneOf.includes(value) : Number(value) > above));
}

// In the order of the form, since the answer to a hidden question does not count for later ones.
function showWhatIsAsked() {
  for (const question of everything()) {
    if (!question.dataset.when) continue;
    const asked = JSON.parse(question.dataset.when).every(holds);
    question.hidden = question.disabled = !asked;
  }
}

// ---- Choosing -----------------------------------------------------------------------------------

function choose(question, key) {
  const input = [...question.querySelectorAll("input[data-key]")].find((item) => item.dataset.key === key);
  if (!input) return false;
  input.checked = input.type === "checkbox" ? !input.checked : true;
  // The first tick moves the mark from the question to its choices.
  if (input.type === "checkbox") input.focus();
  return true;
}

const atomAt = (digit) => questions().find((item) => item.dataset.digit === digit);

// Flip the answer to one atom.
function turnRound(question) {
  const other = question.querySelector("input:not(:checked)[data-key=n]");
  (other ?? question.querySelector("input:not(:checked)")).checked = true;
}

const yesOf = (question) => question.querySelector('input[data-key="y"]');

// All atoms if there are any, else all questions that need an answer.
const needed = () => questions().filter((item) => !("optional" in item.dataset));
const answeredByAllYes = () => (questions().some(isAtom) ? questions().filter(isAtom) : needed());
const canSayAllYes = () => {
  const targets = answeredByAllYes();
  return targets.length > 0 && targets.every(yesOf);
};

function sayAllYes() {
  const targets = answeredByAllYes();
  const open = targets.filter(isOpen);
  // Keep earlier answers, unless all are answered: then change all to yes.
  for (const question of open.length ? open : targets) yesOf(question).checked = true;
  return targets.at(-1);
}

// ---- The marked question ------------------------------------------------------------------------

const current = () =>
  document.activeElement?.closest?.(".question") ?? missing()[0] ?? questions()[0];

function mark(question, options) {
  const input =
    question.querySelector("input:checked, [data-mark-here]") ??
    question.querySelector("input, textarea");
  input.focus({ preventScroll: true });
  // Show the whole question, not only its first choice.
  if (!options?.preventScroll) question.scrollIntoView({ block: "nearest" });
}

// With new questions, the answer that completes them sends. With restored answers (undo, a draft)
// the person goes through all of them again, and the last question sends.
function nextAfter(question, walkAll) {
  const all = questions();
  const after = all.slice(all.indexOf(question) + 1);
  return after.find(isOpen) ?? missing()[0] ?? (walkAll ? after[0] : null);
}

const pairs = () => [...new FormData(form())].filter(([name]) => name.startsWith("answer-"));

function fill(draft) {
  for (const question of everything()) {
    const typed = isTyped(question);
    for (const input of question.querySelectorAll("input, textarea")) {
      const values = draft.filter(([name]) => name === input.name).map(([, value]) => value);
      if (typed) input.value = values[0] ?? "";
      else input.checked = values.includes(input.value);
    }
  }
  window.jurybox.marks?.draw();
}

window.jurybox.form = {
  form,
  questions,
  missing,
  isAtom,
  isChosenOnce,
  isTyped,
  showWhatIsAsked,
  choose,
  atomAt,
  turnRound,
  canSayAllYes,
  sayAllYes,
  current,
  mark,
  nextAfter,
  pairs,
  fill,
  waitsForEnter: () => setting("wait-for-enter"),
};
