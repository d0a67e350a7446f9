// An edit: before and after in the same place, by turns, and what differs between them.

const { stage } = window.jurybox;
const AT_MOST = 512;

const box = () => document.querySelector(".stage.edit");
const before = () => box()?.querySelector('[data-kind="source"] img');
const after = () => box()?.querySelector('[data-kind="result"] img');
const press = (verb, on) =>
  document.querySelector(`[data-do="${verb}"]`)?.setAttribute("aria-pressed", String(on));

// ---- By turns -----------------------------------------------------------------------------------

export function flip() {
  if (!before()) return;
  const shown = box().dataset.turn === "source" ? "result" : "source";
  box().dataset.turn = shown;
  press("flip", true);
  document.getElementById("state").textContent = shown === "source" ? gettext("before") : gettext("after");
  stage.refresh();
}

function sideBySide() {
  delete box()?.dataset.turn;
  press("flip", false);
  stage.refresh();
}

// ---- What differs -------------------------------------------------------------------------------

const slider = () => document.querySelector("[data-threshold]");
let canvas = null;

export function difference() {
  if (canvas?.isConnected) return hide();
  if (!before()) return;
  canvas = document.createElement("canvas");
  canvas.className = "difference";
  stage.layer().prepend(canvas);
  try {
    draw();
    press("difference", true);
  } catch {
    hide();
    document.getElementById("state").textContent =
      gettext("This browser cannot compare pictures that lie on another server");
  }
}

function hide() {
  canvas?.remove();
  canvas = null;
  press("difference", false);
}

function pixels(image, width, height) {
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width, height });
  const pen = sheet.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0, width, height);
  return pen.getImageData(0, 0, width, height).data;
}

// The largest difference of the three colours decides, in steps of 255.
function draw() {
  const { naturalWidth, naturalHeight } = after();
  const scale = Math.min(1, AT_MOST / Math.max(naturalWidth, naturalHeight));
  const width = Math.max(1, Math.round(naturalWidth * scale));
  const height = Math.max(1, Math.round(naturalHeight * scale));
  const [one, two] = [pixels(before(), width, height), pixels(after(), width, height)];
  const least = Number(slider()?.value ?? 24);
  const marked = new ImageData(width, height);
  for (let at = 0; at < one.length; at += 4) {
    const apart = Math.max(
      Math.abs(one[at] - two[at]),
      Math.abs(one[at + 1] - two[at + 1]),
      Math.abs(one[at + 2] - two[at + 2]),
    );
    if (apart > least) marked.data.set([255, 0, 170, 200], at);
  }
  Object.assign(canvas, { width, height });
  canvas.getContext("2d").putImageData(marked, 0, 0);
}

document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-threshold]") && canvas?.isConnected) draw();
});

document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && box()?.dataset.turn && !document.querySelector("dialog[open]")) sideBySide();
});

// A swipe on a phone, where one picture is shown at a time.
let from = null;
document.addEventListener("pointerdown", (event) => {
  from = event.pointerType === "touch" && event.target.closest(".stage.edit") ? event : null;
});
document.addEventListener("pointerup", (event) => {
  if (!from || box()?.classList.contains("zoomed") || box()?.classList.contains("marking")) return;
  const across = event.clientX - from.clientX;
  if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(event.clientY - from.clientY)) flip();
  from = null;
});
