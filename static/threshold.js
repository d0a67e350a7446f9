// Moves the threshold over the points that the report stored: nothing is asked of the server.

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

// −0.000 would claim a direction that is not there.
function signed(value) {
  const text = value.toFixed(3);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Agreement and Cohen's kappa of "yes from this score on" with people's yes and no.
export function outcome({ positives, negatives }, { yes, no }) {
  const n = positives + negatives;
  const agreement = (yes + negatives - no) / n;
  const called = (yes + no) / n;
  const people = positives / n;
  const chance = called * people + (1 - called) * (1 - people);
  return {
    agreement,
    // 0/0: both always say one and the same.
    kappa: chance === 1 ? null : (agreement - chance) / (1 - chance),
    hits: yes / positives,
    alarms: no / negatives,
  };
}

function start() {
  const box = document.getElementById("threshold");
  const data = document.getElementById("threshold-points");
  if (!box || !data || box.dataset.ready) return;
  box.dataset.ready = "yes";
  const curve = JSON.parse(data.textContent);
  const slider = box.querySelector("input");
  const out = (name) => box.querySelector(`[data-out="${name}"]`);
  // From the strictest to the mildest, so that moving right says yes more rarely.
  const points = [...curve.points].reverse();

  function show() {
    const point = points[Number(slider.value)];
    const found = outcome(curve, point);
    const cut = point.threshold === null ? "never" : String(Number(point.threshold.toPrecision(4)));
    box.querySelector("output").textContent = cut;
    slider.setAttribute("aria-valuetext", cut);
    out("agreement").textContent = percent(found.agreement);
    out("kappa").textContent = found.kappa === null ? "undefined" : signed(found.kappa);
    out("hits").textContent = percent(found.hits);
    out("alarms").textContent = percent(found.alarms);
  }

  slider.max = String(points.length - 1);
  const best = points.reduce(
    (top, point, place) =>
      outcome(curve, point).agreement > outcome(curve, points[top]).agreement ? place : top,
    0,
  );
  slider.value = String(best);
  slider.addEventListener("input", show);
  show();
}

document.addEventListener("htmx:afterSettle", start);
start();
