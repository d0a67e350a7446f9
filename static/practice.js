// The practice page: the keys, the picture and the questions of the label page. Enter checks and goes on.

const { answering, form, picture, stage } = window.jurybox;

const goOn = document.getElementById("go-on");

const isLocked = () => !form.form() || !picture.isShown();

function lock() {
  if (form.form()) form.form().inert = isLocked();
}

function onPicture() {
  lock();
  if (!picture.isShown()) return;
  stage.reset();
  if (form.form()) answering.markFirst();
}

answering.begin({
  isLocked,
  isBusy: () => false,
  isCorrecting: () => false,
  kept: () => {},
  // There is no undo here: nothing is checked before the person says so.
  waits: () => gettext("Enter checks your answers"),
  send: () => form.form().requestSubmit(),
});

form.form()?.addEventListener("submit", (event) => {
  if (isLocked() || !answering.isComplete()) event.preventDefault();
});

answering.showForm();
stage.reset();
picture.watch(document.getElementById("workplace"), onPicture);
lock();
if (goOn) goOn.focus({ preventScroll: true });
else if (picture.isShown()) answering.markFirst();
