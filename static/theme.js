// Loaded before the first paint, so that a chosen theme never flashes the other one.
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("jurybox.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the system's theme is used.
}
