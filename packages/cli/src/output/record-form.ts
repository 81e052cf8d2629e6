import type { OutputFormat } from './form.js';
import { printable } from './printable.js';

/** One item with one member per line. */
export const recordForm: OutputFormat = {
  open: () => '',
  item: (item) => {
    const members = Object.entries(item).map(
      ([name, value]) => [name.replace(/Text$/, ''), shown(value)] as const,
    );
    const width = Math.max(0, ...members.map(([name]) => name.length));
    return members.map(([name, value]) => `${printable(name).padEnd(width)}  ${value}\n`).join('');
  },
  close: () => '',
};

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
