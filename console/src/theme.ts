/** How the console looks: as the system does, or as somebody chose. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'rackwright-theme';

/** What was chosen in this browser before. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Shows the theme and remembers it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(key);
    return;
  }
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(key, theme);
}

/** Whether it is dark right now, whoever decided it. */
export function isDarkNow(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
