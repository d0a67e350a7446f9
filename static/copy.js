// Copy buttons: `data-copy` names the field. Where the browser does not let a page write to the
// clipboard, the text is selected and a sentence says which keys copy it.

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const status = document.querySelector(`[data-copied="${button.dataset.copy}"]`);
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    status.textContent = gettext("Copied.");
  } catch {
    status.textContent = gettext("The link is selected: copy it with Ctrl+C, or ⌘C on a Mac.");
  }
}

// A menu of languages adds `?lang=` to the link in the field that it names, or takes it off.
document.addEventListener("change", ({ target }) => {
  const field = document.getElementById(target.dataset?.langOf);
  if (!field) return;
  const address = new URL(field.value);
  if (target.value) address.searchParams.set("lang", target.value);
  else address.searchParams.delete("lang");
  field.value = address.href;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
