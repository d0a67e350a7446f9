// Loaded before the first paint, so that a chosen theme never flashes the other one.
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("jurybox.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the system's theme is used.
}
// What a script says, in the language of the page: its words lie in a block of the page. English has none.
{
  let words;
  const found = (text) => {
    words ??= JSON.parse(document.getElementById("words")?.textContent ?? "{}");
    return words[text];
  };
  const fill = (text, values) => text.replace(/%\((\w+)\)/g, (_, name) => values[name]);
  window.gettext = (text, values = {}) => fill(found(text) ?? text, values);
  window.ngettext = (one, many, number, values = {}) =>
    fill((found(one) ?? [one, many])[number === 1 ? 0 : 1], { number, ...values });
}
