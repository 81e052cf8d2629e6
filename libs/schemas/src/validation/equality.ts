import type { Meter } from './meter.js';

/**
 * A text that two JSON values share exactly when they are equal as JSON Schema sees it: numbers by value, the members of
 * objects in any order. It takes time in proportion to the value, and trusts no member's name (`valueOf`, `constructor`).
 */
export function canonical(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (!isStructure(value)) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** Whether a value is one of several, in a time that does not grow with their number. */
export function isOneOf(values: readonly unknown[], meter: Meter): (value: unknown) => boolean {
  const scalars = new Set(values.filter((value) => !isStructure(value)));
  const structures = new Set(values.filter(isStructure).map(canonical));
  return (value) => {
    if (!isStructure(value)) return scalars.has(value);
    return structures.size > 0 && structures.has(charged(value, meter));
  };
}

/** Whether no two items are equal, in a time that grows with their size and not with their pairs. */
export function areUnique(items: readonly unknown[], meter: Meter): boolean {
  meter.charge(items.length * 8);
  const seen = new Set<unknown>();
  for (const item of items) seen.add(keyOf(item, meter));
  return seen.size === items.length;
}

/** Strings begin with a quote, so that none looks like the text of an object or array. */
function keyOf(item: unknown, meter: Meter): unknown {
  if (typeof item === 'string') return `"${item}`;
  return isStructure(item) ? charged(item, meter) : item;
}

function charged(value: object, meter: Meter): string {
  const text = canonical(value);
  meter.charge(text.length * 2 + 16);
  return text;
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
