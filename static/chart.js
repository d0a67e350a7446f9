// Draws the drift chart, and draws it again only when the report or the theme has changed.

const { isDark } = window.jurybox;

let drawn = "";
let view = null;

function colour(role) {
  // A computed colour is what Vega can read; light-dark() is not.
  const probe = document.createElement("span");
  probe.style.color = `var(--${role})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function look() {
  const ink = colour("ink");
  const muted = colour("muted");
  const text = { labelColor: muted, titleColor: muted, labelFontSize: 13, titleFontSize: 13 };
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: { ...text, domainColor: colour("line"), tickColor: colour("line"), gridColor: colour("hair"), titleFontWeight: 400 },
    legend: text,
    title: { color: ink, subtitleColor: muted },
    text: { color: ink, fontSize: 13 },
    rule: { color: muted },
  };
}

async function draw() {
  const plot = document.getElementById("plot");
  const report = document.getElementById("numbers")?.dataset.report;
  if (!plot) return;
  const wanted = `${report} ${isDark()}`;
  if (wanted === drawn) return;
  drawn = wanted;
  try {
    const [{ vegaEmbed }, answer] = await Promise.all([
      import(plot.dataset.vega),
      fetch(plot.dataset.spec, { headers: { Accept: "application/json" } }),
    ]);
    if (!answer.ok) throw new Error(`the chart's description came back as ${answer.status}`);
    const spec = await answer.json();
    // In its place but unseen: it measures its box while the old chart still stands.
    const inner = document.createElement("div");
    inner.className = "coming";
    plot.append(inner);
    // ast: Vega interprets its expressions; compiling them would need 'unsafe-eval'.
    const made = await vegaEmbed(inner, spec, {
      actions: false,
      ast: true,
      config: look(),
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
draw();
