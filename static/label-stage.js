// The image: zoom, pan, brightness and contrast. Other modules may ask where on the picture a pointer
// is, take the pointer for themselves (to mark something), and put things on the picture's layer.

const { recall, remember } = window.jurybox.memory;
const labelling = document.getElementById("labelling");
const ARROWS = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };
const STEPS = { "+": 1.25, "=": 1.25, "-": 1 / 1.25 };
const MOST = 12;
const CLOSE_UP = 3;
const lightKey = `light.${labelling.dataset.person}`;

const stage = () => document.querySelector(".stage");
// The image to be judged; beside it may stand what it was made from, in a pane with a place.
const paneAt = (place) => document.querySelector(`.stage .pane[data-place="${place}"]`);
const picture = (place = "") =>
  place ? paneAt(place)?.querySelector("img") : document.querySelector(".stage img");
const pictures = () => document.querySelectorAll(".stage img");
// What cuts a picture off: the stage, or one part of it.
const frame = (of = picture()) => of?.closest(".pane") ?? stage();
const zoomed = () => view.scale > 1;
let view = { scale: 1, x: 0, y: 0 };

// ---- Where things are ---------------------------------------------------------------------------

// The picture as it is shown, in the window's pixels. The element may be larger than the picture in
// it (object-fit: contain).
function pictureBox(at = "") {
  const image = picture(at);
  if (!image?.naturalWidth) return null;
  const box = image.getBoundingClientRect();
  const fit = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
  const width = image.naturalWidth * fit;
  const height = image.naturalHeight * fit;
  return {
    left: box.left + (box.width - width) / 2,
    top: box.top + (box.height - height) / 2,
    width,
    height,
  };
}

// A pointer's place as fractions of the picture's sides, from its top left corner; `inside` is false
// beside the picture. Null while there is no picture. `on`: the place of the picture, empty for the image
// itself.
function fractions(event, on = event.target?.closest?.('.pane[data-kind="source"]')?.dataset.place ?? "") {
  const box = pictureBox(on);
  if (!box) return null;
  const x = (event.clientX - box.left) / box.width;
  const y = (event.clientY - box.top) / box.height;
  return { x, y, on, inside: x >= 0 && x <= 1 && y >= 0 && y <= 1 };
}

// An element that always covers exactly the picture: what is placed in it by percentages stays on the
// same part of the picture. It lets pointers through. Each picture has its own.
function layer(at = "") {
  const image = picture(at);
  if (!image) return null;
  let element = layers().find(({ dataset }) => dataset.at === at);
  if (!element) {
    element = document.createElement("div");
    element.className = "picture-layer";
    element.dataset.at = at;
    frame(image).append(element);
  }
  placeLayer(element);
  return element;
}

const layers = () => [...(stage()?.querySelectorAll(".picture-layer") ?? [])];

function placeLayer(element) {
  const box = pictureBox(element.dataset.at);
  if (!box) return;
  const origin = frame(element).getBoundingClientRect();
  element.style.left = `${box.left - origin.left}px`;
  element.style.top = `${box.top - origin.top}px`;
  element.style.width = `${box.width}px`;
  element.style.height = `${box.height}px`;
}

// ---- Zoom and pan -------------------------------------------------------------------------------

function place() {
  const box = stage();
  const image = picture();
  if (!box || !image) return;
  // The middle of the stage never leaves the picture.
  const reach = (size) => (zoomed() ? (size * view.scale) / 2 : 0);
  const across = reach(image.offsetWidth);
  const down = reach(image.offsetHeight);
  view.x = Math.max(-across, Math.min(across, view.x));
  view.y = Math.max(-down, Math.min(down, view.y));
  box.classList.toggle("zoomed", zoomed());
  // All pictures of the stage move together.
  box.style.setProperty("--pan-x", `${view.x}px`);
  box.style.setProperty("--pan-y", `${view.y}px`);
  box.style.setProperty("--zoom", view.scale);
  const button = document.querySelector('[data-do="zoom"]');
  button?.setAttribute("aria-pressed", String(zoomed()));
  layers().forEach(placeLayer);
}

// What lies at `from` in the window lies at `to` afterwards; without them it is the middle of the stage.
function zoomTo(scale, from, to = from) {
  const box = frame(from?.target)?.getBoundingClientRect();
  if (!box) return;
  const wanted = Math.max(1, Math.min(MOST, scale));
  const ratio = wanted / view.scale;
  const x = (at) => (at ? at.clientX - box.left - box.width / 2 : 0);
  const y = (at) => (at ? at.clientY - box.top - box.height / 2 : 0);
  view = {
    scale: wanted,
    x: x(to) - ratio * (x(from) - view.x),
    y: y(to) - ratio * (y(from) - view.y),
  };
  place();
}

const toggleZoom = (at) => zoomTo(zoomed() ? 1 : CLOSE_UP, at?.clientX === undefined ? hovering : at);

function panBy(x, y) {
  view.x += x;
  view.y += y;
  place();
}

function reset() {
  view = { scale: 1, x: 0, y: 0 };
  place();
  showLight();
}

// True if the picture used the key.
function takeKey(key) {
  if (!stage()) return false;
  if (STEPS[key]) zoomTo(view.scale * STEPS[key], hovering);
  else if (!zoomed()) return false;
  else if (ARROWS[key]) panBy(...ARROWS[key]);
  else if (key === "Escape") zoomTo(1);
  else return false;
  return true;
}

// ---- Pointers -----------------------------------------------------------------------------------

// The pointer on the stage, so that keys zoom where it is.
let hovering = null;
const pointers = new Map();
let borrower = null;

// From now on `take(event)` gets the pointer events on the stage first; if it returns true, the
// picture is neither moved nor zoomed by them. Returns the function that gives the pointer back.
function lend(take) {
  borrower = take;
  return () => {
    if (borrower === take) borrower = null;
  };
}

const onPicture = (event) =>
  event.target.closest?.(".stage") && !event.target.closest("button, a, input, label, .trouble");

function pinched() {
  const [one, two] = [...pointers.values()];
  return {
    target: one.target,
    clientX: (one.clientX + two.clientX) / 2,
    clientY: (one.clientY + two.clientY) / 2,
    apart: Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY),
  };
}

labelling.addEventListener("pointerdown", (event) => {
  if (!onPicture(event) || event.button > 0) return;
  pointers.set(event.pointerId, event);
  // Two fingers always zoom, also while somebody else has the pointer.
  if (pointers.size < 2 && borrower?.(event)) return;
  if (zoomed()) event.target.setPointerCapture?.(event.pointerId);
});

labelling.addEventListener("pointermove", (event) => {
  if (event.pointerType === "mouse") hovering = onPicture(event) ? event : null;
  const before = pointers.get(event.pointerId);
  if (pointers.size === 2 && before) {
    const last = pinched();
    pointers.set(event.pointerId, event);
    const now = pinched();
    zoomTo((view.scale * now.apart) / Math.max(1, last.apart), last, now);
    return;
  }
  if (onPicture(event) && borrower?.(event)) return;
  if (!before) return;
  pointers.set(event.pointerId, event);
  if (zoomed()) panBy(event.clientX - before.clientX, event.clientY - before.clientY);
});

for (const name of ["pointerup", "pointercancel"])
  addEventListener(name, (event) => {
    const had = pointers.delete(event.pointerId);
    if (had && !pointers.size) borrower?.(event);
  });

labelling.addEventListener("dblclick", (event) => {
  if (onPicture(event) && !borrower?.(event)) toggleZoom(event);
});

labelling.addEventListener(
  "wheel",
  (event) => {
    if (!event.target.closest(".stage")) return;
    // In a narrow window the wheel scrolls the page until the picture is zoomed.
    if (!zoomed() && !event.ctrlKey && !matchMedia("(min-width: 821px)").matches) return;
    event.preventDefault();
    const step = Math.max(-60, Math.min(60, event.deltaY)) / 300;
    zoomTo(view.scale * Math.exp(-step * (event.ctrlKey ? 3 : 1)), event);
  },
  { passive: false },
);

// ---- Brightness and contrast --------------------------------------------------------------------

const PLAIN = { brightness: 100, contrast: 100 };
const light = () => ({ ...PLAIN, ...recall(lightKey, {}) });

function showLight() {
  const { brightness, contrast } = light();
  const changed = brightness !== 100 || contrast !== 100;
  for (const image of pictures())
    image.style.filter = changed ? `brightness(${brightness}%) contrast(${contrast}%)` : "";
  for (const slider of document.querySelectorAll("[data-light]"))
    slider.value = light()[slider.dataset.light];
  for (const button of document.querySelectorAll('[data-do="view"]'))
    button.classList.toggle("changed", changed);
}

function setLight(changes) {
  remember(lightKey, { ...light(), ...changes });
  showLight();
}

document.addEventListener("input", ({ target }) => {
  if (target.dataset?.light) setLight({ [target.dataset.light]: Number(target.value) });
});

new ResizeObserver(place).observe(labelling);

window.jurybox.stage = {
  refresh: place,
  toggleZoom,
  zoomTo,
  zoomBy: (factor) => zoomTo(view.scale * factor),
  takeKey,
  reset,
  fractions,
  layer,
  layers,
  lend,
  showLight,
  plainLight: () => setLight(PLAIN),
};
