// A chart is a picture from the server until somebody points at it or asks for the interactive one; a live one until
// the page has come. It is drawn here, and again only when its report, the theme or its width has changed.

const { isDark } = window.jurybox;

const drawn = new WeakMap();

async function draw(box) {
  const plot = box.querySelector(".plot");
  const width = box.clientWidth;
  // Folded away: it is drawn when it is opened.
  if (!width) return;
  const theme = isDark() ? "dark" : "light";
  const wanted = `${box.dataset.spec} ${width} ${theme}`;
  const known = drawn.get(plot) ?? {};
  if (known.wanted === wanted) return;
  drawn.set(plot, { ...known, wanted });
  try {
    const address = new URL(box.dataset.spec, location.href);
    address.searchParams.set("theme", theme);
    address.searchParams.set("width", width);
    const [{ vegaEmbed }, answer] = await Promise.all([
      import(box.dataset.vega),
      fetch(address, { headers: { Accept: "application/json" } }),
    ]);
    if (!answer.ok) throw new Error(`the chart's description came back as ${answer.status}`);
    const spec = await answer.json();
    // In its place but unseen: it measures its box while the old chart still stands.
    const inner = document.createElement("div");
    inner.className = "coming";
    // The plot itself is the picture with a name; its hundred marks are none to a screen reader.
    inner.setAttribute("aria-hidden", "true");
    plot.append(inner);
    // ast: Vega interprets its expressions; compiling them would need 'unsafe-eval'.
    const made = await vegaEmbed(inner, spec, {
      actions: false,
      ast: true,
      defaultStyle: false,
      renderer: "svg",
      tooltip: { disableDefaultStyle: true },
    });
    // A drawing that took longer than the one asked for after it comes too late.
    if (drawn.get(plot)?.wanted !== wanted) {
      made.view.finalize();
      inner.remove();
      return;
    }
    drawn.get(plot).view?.finalize();
    drawn.set(plot, { wanted, view: made.view });
    made.view.addEventListener("click", (event, mark) => chosen(box, mark));
    plot.replaceChildren(inner);
    inner.className = "";
    plot.dataset.drawn = wanted;
  } catch (error) {
    if (drawn.get(plot)?.wanted !== wanted) return;
    drawn.set(plot, { view: known.view });
    plot.querySelector(".coming")?.remove();
    if (!known.view)
      plot.textContent = gettext("The chart could not be drawn (%(message)). The numbers stand below.", { message: error.message });
  }
}

// Those that somebody has asked for, live ones, and the pictures in the theme that was chosen by hand.
function drawAll() {
  for (const box of document.querySelectorAll(".plot-box[data-spec]")) {
    if (drawn.has(box.querySelector(".plot")) || (isSeen && "live" in box.dataset)) draw(box);
    else paint(box);
  }
}

function paint(box) {
  const chosen = document.documentElement.dataset.theme;
  for (const one of box.querySelectorAll(".still :is(source, img)")) {
    const place = one.matches("img") ? "src" : "srcset";
    const own = (one.dataset.own ??= one.getAttribute(place));
    const wanted = chosen ? own.replace(/theme=\w+/, `theme=${chosen}`) : own;
    if (one.getAttribute(place) !== wanted) one.setAttribute(place, wanted);
  }
}

// A finger that scrolls over a chart asks for nothing: it has the button.
document.addEventListener(
  "pointerenter",
  ({ target, pointerType }) => {
    if (pointerType === "mouse" && target.matches?.(".plot-box[data-spec]")) draw(target);
  },
  true,
);

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-interactive]");
  if (button) draw(button.closest(".chart").querySelector(".plot-box"));
});

// Live ones come after all that one sees first.
let isSeen = false;
function drawSoon() {
  (window.requestIdleCallback ?? setTimeout)(() => {
    isSeen = true;
    drawAll();
  });
}
if (document.readyState === "complete") drawSoon();
else addEventListener("load", drawSoon);

document.addEventListener("htmx:afterSettle", drawAll);
document.addEventListener("toggle", drawAll, true);
document.addEventListener("jurybox:theme", drawAll);

let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(drawAll, 150);
});

// Filters live in the address. A select that was changed shows at once; without JavaScript there is
// the button. The place on the page is kept for whoever works with keys.
const KEPT = "jurybox-filtering";

function show(form, control) {
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  // All of them is what an address without any means.
  if (boxes.every((box) => box.checked)) for (const box of boxes) box.disabled = true;
  sessionStorage.setItem(KEPT, JSON.stringify([control.id, scrollY]));
  form.requestSubmit();
}

document.addEventListener("change", ({ target }) => {
  // What is typed, and texts that belong together, wait for their button.
  if (target.closest(".typed, .filters .filters")) return;
  if (target.matches(".filters select, .filters input")) show(target.form, target);
});

// A click on a point opens its images, one on a judge's line or name chooses the judge.
function chosen(box, mark) {
  const { judge, generator } = mark?.datum ?? {};
  if (mark?.mark.marktype === "symbol" && judge && generator && box.dataset.images) {
    const address = new URL(box.dataset.images, location.href);
    address.searchParams.set("generator", generator);
    const known = judgeBox(judge);
    if (known) address.searchParams.set("judge", known.value);
    location.assign(address);
  } else alone(judge);
}

function judgeBox(judge) {
  const boxes = document.querySelectorAll(".filters input[data-title]");
  return [...boxes].find((box) => box.dataset.title === judge);
}

// It is left alone; the next click brings all back.
function alone(judge) {
  const boxes = [...document.querySelectorAll(".filters input[data-title]")];
  const wanted = judgeBox(judge);
  if (!wanted) return;
  const already = boxes.every((box) => box.checked === (box === wanted));
  for (const box of boxes) box.checked = already || box === wanted;
  show(wanted.form, wanted);
}

const kept = sessionStorage.getItem(KEPT);
if (kept) {
  sessionStorage.removeItem(KEPT);
  const [id, place] = JSON.parse(kept);
  document.getElementById(id)?.focus({ preventScroll: true });
  scrollTo(0, place);
}
drawAll();
