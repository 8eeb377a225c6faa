// The theme: that of the system, or the one that was chosen.
import { effect, signal } from "../lib.js";

const THEMES = ["system", "light", "dark"];
const NAME = "tablewright-theme";

export const theme = signal(localStorage.getItem(NAME) ?? "system");

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem(NAME, theme.value);
});

export function cycleTheme() {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
}
