// Draws the charts of a page, each again only when its report, the theme or its width has changed.

const { isDark } = window.jurybox;

const LABEL_ROOM = 190;
const AXIS_ROOM = 64;
const NARROW = 560;
const drawn = new WeakMap();

// The parts of a stacked chart cannot take the width of their box by themselves. Where the box is
// narrow, the names of the lines stand over their ends instead of beside them.
function fitted(spec, width) {
  const named = spec.usermeta?.names ?? true;
  const narrow = width < NARROW;
  const axis = named ? AXIS_ROOM : AXIS_ROOM + longestName(spec) * 6.5;
  for (const part of spec.vconcat ?? [spec]) {
    const room = width - axis - (named && !narrow ? LABEL_ROOM : 16);
    // A fixed size is a square that must stay one.
    if (part.width === "container") part.width = Math.max(room, 120);
    else if (part.width > room) part.height = part.width = room;
    if (narrow && typeof part.title === "string") part.title = part.title.split(/ (?=\()|: /);
    for (const { mark } of part.layer ?? [])
      if (narrow && mark.type === "text" && mark.align === "left" && mark.dx === 8)
        Object.assign(mark, { align: "right", dx: 4, dy: -12 });
  }
  return spec;
}

// Names on the vertical axis need room to the left; sorted names are listed in the scale.
function longestName(spec) {
  const names = (spec.layer ?? []).flatMap(({ encoding }) => encoding?.y?.sort ?? []);
  return Math.min(30, Math.max(0, ...names.map((name) => String(name).length)));
}

async function draw(box) {
  const plot = box.querySelector(".plot");
  const width = plot.clientWidth;
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
document.addEventListener("jurybox:theme", drawAll);

let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(drawAll, 150);
});

// A select that was changed shows at once; without JavaScript there is the button.
document.addEventListener("change", ({ target }) => {
  if (target.matches(".filters select")) target.form.requestSubmit();
});
drawAll();
