import { signal } from '@preact/signals';

const query = matchMedia('(width < 860px)');

/** Whether the window is as narrow as `narrow.css` says. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
