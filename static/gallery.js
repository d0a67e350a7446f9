// Arrow keys walk from image to image; Enter opens one, since each is a link.

function links() {
  return [...document.querySelectorAll("[data-shots] .shot-link")];
}

// How many stand beside each other now.
function columns(all) {
  const top = all[0]?.getBoundingClientRect().top;
  return Math.max(1, all.findIndex((link) => link.getBoundingClientRect().top !== top)) || 1;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("select, input, textarea, table, .scroll")) return;
  const turn = { ArrowLeft: "left", ArrowRight: "right" }[event.key];
  const neighbour = turn && document.querySelector(`[data-turn="${turn}"]`);
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
