/** Dark and light: what the system prefers, until somebody chooses. */

const KEY = "epstar-theme";
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @returns {boolean} whether the page is dark now */
export const isDark = () => root.dataset.theme === "dark";

/**
 * Let a button change between dark and light.
 * @param {HTMLButtonElement} button
 * @param {() => void} changed is called after every change
 */
export function installTheme(button, changed) {
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to ${isDark() ? "light" : "dark"} colours`);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem(KEY, root.dataset.theme);
    show();
    changed();
  });
  dark.addEventListener("change", () => {
    if (localStorage.getItem(KEY) === null) {
      root.dataset.theme = dark.matches ? "dark" : "light";
      show();
      changed();
    }
  });
  show();
}
