// The data browser: arrow keys walk, Space chooses, P shows one prompt by every generator. What is
// chosen stays chosen while filters change and pages turn, and is sent with the form.

const chosen = new Set();

const list = () => document.getElementById("list");
const boxes = () => [...document.querySelectorAll('#list [name="image"]')];
const links = () => [...document.querySelectorAll("#list .shot-link")];

function show() {
  const form = list();
  const all = form?.querySelector("[data-all]");
  const line = form?.querySelector("[data-chosen]");
  if (!all || !line) return;
  for (const box of boxes()) {
    box.checked = all.checked || chosen.has(box.value);
    box.disabled = all.checked;
  }
  const number = all.checked ? Number(form.dataset.total) : chosen.size;
  line.textContent = number ? gettext("%(number) chosen", { number }) : "";
  for (const button of form.querySelectorAll('[name="do"]')) button.disabled = !number;
}

document.addEventListener("change", ({ target }) => {
  if (target.matches('#list [name="image"]')) {
    if (target.checked) chosen.add(target.value);
    else chosen.delete(target.value);
  }
  if (target.closest("#list")) show();
});

// Those of other pages go with the form.
document.addEventListener("submit", ({ target }) => {
  if (target !== list()) return;
  for (const old of target.querySelectorAll("[data-elsewhere]")) old.remove();
  const here = new Set(boxes().map((box) => box.value));
  for (const value of chosen) {
    if (here.has(value)) continue;
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "image", value });
    input.dataset.elsewhere = "";
    target.append(input);
  }
});

document.addEventListener("htmx:afterSwap", show);
addEventListener("pageshow", show);
show();

// How many stand beside each other now.
function columns(all) {
  const top = all[0].getBoundingClientRect().top;
  const next = all.findIndex((link) => link.getBoundingClientRect().top !== top);
  return next < 0 ? all.length : Math.max(1, next);
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { target, key } = event;
  if (target.closest('select, textarea, summary, button, input:not([name="image"])')) return;
  const all = links();
  const shot = target.closest("[data-shot]");
  const here = shot ? all.indexOf(shot.querySelector(".shot-link")) : -1;
  if (key === " " && shot && !target.matches("input")) {
    event.preventDefault();
    shot.querySelector('[name="image"]').click();
    return;
  }
  if (key === "p" && shot?.dataset.prompt) {
    location.assign(shot.dataset.prompt);
    return;
  }
  if (!all.length) return;
  const wide = columns(all);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide, ArrowUp: -wide }[key];
  // Up and down scroll the page until somebody walks.
  if (!step || (here < 0 && Math.abs(step) > 1)) return;
  const next = all[here < 0 ? 0 : here + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
