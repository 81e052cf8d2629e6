import { SqlRow } from '#client';

type Item = Record<string, unknown>;

/**
 * Returns an item as JSON on one line. Members that the client keeps as text (`dataText`, `stateText`, `rowText`) are
 * written unchanged, with every digit of their numbers.
 */
export function exactJson(item: object): string {
  if (item instanceof SqlRow) return item.rowText;
  if (!('toJSON' in item)) return JSON.stringify(item);
  const members = Object.entries(item as Item).map(([name, value]) => memberText(item, { name, value }));
  return `{${members.join(',')}}`;
}

function memberText(item: object, { name, value }: { name: string; value: unknown }): string {
  const parsed = name.replace(/Text$/, '');
  if (parsed === name || !(parsed in item)) return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  return `${JSON.stringify(parsed)}:${onOneLine(String(value))}`;
}

/** Removes line breaks. Line breaks inside JSON strings are escaped, so unescaped ones are between values. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+\s*/g, ' ');
}
