import { visibleText } from '#client';
import type { OutputFormat } from './form.js';

/** One item with one member per line. */
export const recordForm: OutputFormat = {
  open: () => '',
  item: (item) => {
    const members = Object.entries(item).map(
      ([name, value]) => [visibleText(name.replace(/Text$/, '')), shown(value)] as const,
    );
    const width = Math.max(0, ...members.map(([name]) => name.length));
    return members.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
  },
  close: () => '',
};

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value));
}
