// Runs before the first paint, so that a chosen theme never flashes.
(() => {
  try {
    const chosen = localStorage.getItem("weft.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that stores nothing gets the system's theme.
  }
})();
