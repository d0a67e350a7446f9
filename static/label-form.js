// The questions on the page: which are shown, what is answered, and where the ring goes next.
// What is on the page is the state.

const { setting } = window.jurybox.memory;

const form = () => document.getElementById("answers");
const everything = () => [...document.querySelectorAll("#answers .question")];
const questions = () => everything().filter((one) => !one.disabled);
const isAtom = (question) => question.classList.contains("atom");
const isTyped = (question) => question.querySelector("textarea, input[type=number]");
const isChosenOnce = (question) => question.dataset.kind === "choice";

function given(question) {
  const typed = isTyped(question);
  if (typed) return typed.value.trim() ? [typed.value.trim()] : [];
  return [...question.querySelectorAll("input:checked")].map((input) => input.value);
}

const isOpen = (question) => !given(question).length;
const missing = () => questions().filter((one) => isOpen(one) && !("optional" in one.dataset));

// ---- Conditions ---------------------------------------------------------------------------------

function holds({ question, above, oneOf }) {
  const values = questions()
    .filter((one) => one.dataset.name === question)
    .flatMap(given);
  return values.some((value) => (above === undefined ? oneOf.includes(value) : Number(value) > above));
}

// In the order of the form: what a hidden question was told counts for nothing below it.
function showWhatIsAsked() {
  for (const question of everything()) {
    if (!question.dataset.when) continue;
    const asked = JSON.parse(question.dataset.when).every(holds);
    question.hidden = question.disabled = !asked;
  }
}

// ---- Choosing -----------------------------------------------------------------------------------

function choose(question, key) {
  const input = [...question.querySelectorAll("input[data-key]")].find((one) => one.dataset.key === key);
  if (!input) return false;
  input.checked = input.type === "checkbox" ? !input.checked : true;
  // The first tick brings the ring from the question to its choices.
  if (input.type === "checkbox") input.focus();
  return true;
}

const atomAt = (digit) => questions().find((one) => one.dataset.digit === digit);

// A second look at one part of the prompt: its answer is turned round.
function turnRound(question) {
  const other = question.querySelector("input:not(:checked)[data-key=n]");
  (other ?? question.querySelector("input:not(:checked)")).checked = true;
}

const yesOf = (question) => question.querySelector('input[data-key="y"]');

// All parts of the prompt, where it is asked part by part; else all questions.
const saidByAllYes = () => (questions().some(isAtom) ? questions().filter(isAtom) : questions());
const canSayAllYes = () => {
  const said = saidByAllYes();
  return said.length > 0 && said.every(yesOf);
};

function sayAllYes() {
  const said = saidByAllYes();
  const open = said.filter(isOpen);
  // What was answered before stays, unless all of it was.
  for (const question of open.length ? open : said) yesOf(question).checked = true;
  return said.at(-1);
}

// ---- The ring -----------------------------------------------------------------------------------

const current = () =>
  document.activeElement?.closest?.(".question") ?? missing()[0] ?? questions()[0];

function mark(question, options) {
  const input =
    question.querySelector("input:checked") ?? question.querySelector("input, textarea");
  input.focus({ preventScroll: true });
  // All of the question, not only its first choice.
  if (!options?.preventScroll) question.scrollIntoView({ block: "nearest" });
}

// Fresh questions: the answer that completes them sends. Answers that came back (undo, a draft)
// are walked through once more: the last question sends.
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
