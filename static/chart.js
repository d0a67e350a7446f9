// Draws the drift chart, and draws it again only when the report, the theme or the width has changed.

const { isDark } = window.jurybox;

let drawn = "";
let view = null;

const LABEL_ROOM = 190;
const AXIS_ROOM = 64;
const NARROW = 560;

// The parts of a stacked chart cannot take the width of their box by themselves. Where the box is
// narrow, the names of the lines stand over their ends instead of beside them.
function fitted(spec, width) {
  const narrow = width < NARROW;
  for (const part of spec.vconcat ?? [spec]) {
    part.width = width - AXIS_ROOM - (narrow ? 8 : LABEL_ROOM);
    if (narrow && typeof part.title === "string") part.title = part.title.split(/ (?=\()/);
    for (const { mark } of part.layer ?? [])
      if (narrow && mark.type === "text" && mark.align === "left" && mark.dx === 8)
        Object.assign(mark, { align: "right", dx: 4, dy: -12 });
  }
  return spec;
}

async function draw() {
  const plot = document.getElementById("plot");
  const report = document.getElementById("numbers")?.dataset.report;
  if (!plot) return;
  const width = plot.clientWidth;
  const wanted = `${report} ${width} ${isDark() ? "dark" : "light"}`;
  if (wanted === drawn) return;
  drawn = wanted;
  try {
    const [{ vegaEmbed }, answer] = await Promise.all([
      import(plot.dataset.vega),
      fetch(`${plot.dataset.spec}?theme=${isDark() ? "dark" : "light"}`, { headers: { Accept: "application/json" } }),
    ]);
    if (!answer.ok) throw new Error(`the chart's description came back as ${answer.status}`);
    const spec = await answer.json();
    // In its place but unseen: it measures its box while the old chart still stands.
    const inner = document.createElement("div");
    inner.className = "coming";
    plot.append(inner);
    // ast: Vega interprets its expressions; compiling them would need 'unsafe-eval'.
    const made = await vegaEmbed(inner, fitted(spec, width), {
      actions: false,
      ast: true,
      defaultStyle: false,
      renderer: "svg",
      tooltip: { disableDefaultStyle: true },
    });
    view?.finalize();
    view = made.view;
    plot.replaceChildren(inner);
    inner.className = "";
    plot.dataset.drawn = wanted;
  } catch (error) {
    drawn = "";
    plot.querySelector(".coming")?.remove();
    if (!view)
      plot.textContent = `The chart could not be drawn (${error.message}). The numbers stand below.`;
  }
}

document.addEventListener("htmx:afterSettle", draw);
document.addEventListener("jurybox:theme", draw);

let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(draw, 150);
});
draw();
