import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const storageName = 'tributary.theme';

function stored(): Theme {
  const value = localStorage.getItem(storageName);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export const theme = signal<Theme>(stored());

/** Increases when the colors change, so that charts are drawn again. */
export const colors = signal(0);

export function startTheme(): void {
  effect(() => {
    const { value } = theme;
    document.documentElement.dataset['theme'] = value;
    if (value === 'system') localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, value);
    colors.value = colors.peek() + 1;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colors.value++);
}
