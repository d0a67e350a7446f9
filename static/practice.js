// The practice page by keyboard: the keys of the label page choose, Enter checks and goes on.

const { form } = window.jurybox;

const button = () => document.querySelector("#answers .primary") ?? document.getElementById("go-on");

function goOn(question) {
  form.showWhatIsAsked();
  const next = form.nextAfter(question);
  if (next) form.mark(next);
  else button().focus({ preventScroll: true });
}

if (form.form()) {
  form.showWhatIsAsked();
  form.form().addEventListener("change", () => form.showWhatIsAsked());
  const first = form.missing()[0];
  if (first) form.mark(first, { preventScroll: true });
} else button()?.focus({ preventScroll: true });

addEventListener("keydown", (event) => {
  const typing = event.target.matches("textarea, input[type=number]");
  if (!form.form() || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  const question = form.current();
  const atom = form.atomAt(key);
  if (key === "a" && form.canSayAllYes()) goOn(form.sayAllYes());
  else if (atom && !form.isTyped(atom)) form.turnRound(atom);
  else if (question && form.choose(question, key)) {
    if (form.isChosenOnce(question)) goOn(question);
  } else return;
  event.preventDefault();
});
