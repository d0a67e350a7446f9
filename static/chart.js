// Draws the charts of a page, each again only when its report, the theme or its width has changed.

const { isDark } = window.jurybox;

const LABEL_ROOM = [120, 320];
const LETTER = 6.5;
const AXIS_ROOM = 64;
const NARROW = 560;
const SMALL_CHART = 260;
// Where a title may go on in a new line: before a bracket or after a colon, but not within brackets.
const TURN = / (?=\()|: (?![^(]*\))/;
const drawn = new WeakMap();

// The parts of a stacked chart cannot take the width of their box by themselves. Where the box is
// narrow, the names of the lines stand over their ends instead of beside them.
function fitted(spec, width) {
  const named = spec.usermeta?.names ?? true;
  const narrow = width < NARROW;
  const axis = named ? AXIS_ROOM : AXIS_ROOM + longestName(spec) * LETTER;
  const beside = named ? roomBeside(spec) : 0;
  if (spec.concat) {
    // Small charts side by side, as many as fit.
    spec.columns = Math.max(1, Math.floor(width / SMALL_CHART));
    const each = Math.floor(width / spec.columns) - AXIS_ROOM;
    for (const part of spec.concat) part.width = each;
    return spec;
  }
  for (const part of spec.vconcat ?? [spec]) {
    const room = width - axis - (named && !narrow ? beside : 16);
    // A fixed size is a square that must stay one.
    if (part.width === "container") part.width = Math.max(room, 120);
    else if (part.width > room) part.height = part.width = room;
    if (narrow && typeof part.title === "string") part.title = part.title.split(TURN);
    if (!narrow) continue;
    for (const { mark } of part.layer ?? []) {
      if (mark.type !== "text" || mark.align !== "left") continue;
      if (mark.dx === 8) Object.assign(mark, { align: "right", dx: 4, dy: -12 });
      // The words of a reference line would run into the names.
      else mark.limit = 90;
    }
  }
  return spec;
}

// The names at the ends of the lines.
function roomBeside(spec) {
  const [least, most] = LABEL_ROOM;
  const layers = (spec.vconcat ?? [spec]).flatMap((part) => part.layer ?? []);
  const named = layers.filter(({ mark }) => mark.type === "text" && mark.dx === 8);
  const names = named.flatMap(({ data }) => data.values ?? spec.datasets?.[data.name] ?? []);
  const longest = Math.max(0, ...names.map(({ judge }) => String(judge).length));
  return Math.min(most, Math.max(least, longest * LETTER + 16));
}

// Names on the vertical axis need room to the left; sorted names are listed in the scale.
function longestName(spec) {
  const names = (spec.layer ?? []).flatMap(({ encoding }) => encoding?.y?.sort ?? []);
  return Math.min(30, Math.max(0, ...names.map((name) => String(name).length)));
}

async function draw(box) {
  const plot = box.querySelector(".plot");
  const width = plot.clientWidth;
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
    const made = await vegaEmbed(inner, fitted(spec, width), {
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
      plot.textContent = `The chart could not be drawn (${error.message}). The numbers stand below.`;
  }
}

function drawAll() {
  for (const box of document.querySelectorAll(".plot-box[data-spec]")) draw(box);
}

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
  // A form that is typed into waits for its button.
  if (target.matches(".filters:not(.typed) select, .filters:not(.typed) input")) show(target.form, target);
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
