// Copy buttons: `data-copy` names the field. Where the browser does not let a page write to the
// clipboard, the text is selected and a sentence says which keys copy it.

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const status = document.querySelector(`[data-copied="${button.dataset.copy}"]`);
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    status.textContent = "Copied.";
  } catch {
    status.textContent = "The link is selected: copy it with Ctrl+C, or ⌘C on a Mac.";
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
