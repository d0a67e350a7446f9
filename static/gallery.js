// Arrow keys walk from image to image; Enter opens one, since each is a link. B and O show and hide
// what the judge found, M what people marked.

function links() {
  return [...document.querySelectorAll("[data-shots] .shot-link")];
}

// How many stand beside each other now.
function columns(all) {
  const top = all[0]?.getBoundingClientRect().top;
  return Math.max(1, all.findIndex((link) => link.getBoundingClientRect().top !== top)) || 1;
}

// Boxes and outlines over the one picture of a page, each shown and hidden by its button or letter.
function turn(button) {
  const shown = button.getAttribute("aria-pressed") === "false";
  button.setAttribute("aria-pressed", shown);
  const hidden = [...document.querySelectorAll('[data-layer][aria-pressed="false"]')];
  const picture = document.querySelector(".evidence-picture");
  picture.dataset.without = hidden.map((one) => one.dataset.layer).join(" ");
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-layer]");
  if (button) turn(button);
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("select, input, textarea, table, .scroll")) return;
  const layer = { b: "boxes", o: "outlines", m: "marks" }[event.key];
  const button = layer && document.querySelector(`[data-layer="${layer}"]`);
  if (button) {
    turn(button);
    return;
  }
  const way = { ArrowLeft: "left", ArrowRight: "right" }[event.key];
  const neighbour = way && document.querySelector(`[data-turn="${way}"]`);
  if (neighbour) {
    neighbour.click();
    return;
  }
  const all = links();
  if (!all.length) return;
  const wide = all.length > 1 ? columns(all) : 1;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide, ArrowUp: -wide }[event.key];
  if (!step) return;
  const here = all.indexOf(document.activeElement);
  // Up and down scroll the page until somebody walks.
  if (here < 0 && Math.abs(step) > 1) return;
  const next = all[here < 0 ? 0 : here + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
