// The image: zoom and pan.

const labelling = document.getElementById("labelling");
const ARROWS = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };
const stage = () => document.querySelector(".stage");
const zoomed = () => Boolean(stage()?.classList.contains("zoomed"));
let pan = { x: 0, y: 0, zoom: 3 };

function toggleZoom() {
  if (!stage()) return;
  const on = stage().classList.toggle("zoomed");
  pan = { x: 0, y: 0, zoom: 3 };
  place();
  document.querySelector('[data-do="zoom"]').setAttribute("aria-pressed", String(on));
}

function place() {
  const box = stage();
  // Part of the image always stays visible.
  const reach = (size) => (size * pan.zoom) / 2;
  pan.x = Math.max(-reach(box.clientWidth), Math.min(reach(box.clientWidth), pan.x));
  pan.y = Math.max(-reach(box.clientHeight), Math.min(reach(box.clientHeight), pan.y));
  const { style } = box.querySelector("img");
  style.setProperty("--pan-x", `${pan.x}px`);
  style.setProperty("--pan-y", `${pan.y}px`);
  style.setProperty("--zoom", pan.zoom);
}

function panBy(x, y) {
  pan.x += x;
  pan.y += y;
  place();
}

// True if the zoomed image used the key.
function takeKey(key) {
  if (!zoomed()) return false;
  if (ARROWS[key]) panBy(...ARROWS[key]);
  else if (key === "Escape") toggleZoom();
  else return false;
  return true;
}

labelling.addEventListener("pointermove", (event) => {
  if (zoomed() && event.buttons & 1 && event.target.closest(".stage"))
    panBy(event.movementX, event.movementY);
});

labelling.addEventListener(
  "wheel",
  (event) => {
    if (!zoomed() || !event.target.closest(".stage")) return;
    event.preventDefault();
    pan.zoom = Math.max(1, Math.min(8, pan.zoom * (event.deltaY < 0 ? 1.2 : 1 / 1.2)));
    place();
  },
  { passive: false },
);

window.jurybox.stage = { toggleZoom, takeKey };
