import { childrenOf, kindOf } from './json-tree.js';

/** A value up to this length stays in one line. */
const lineLength = 72;

/** Returns a valid JSON text with a line for each member, and with the exact text of each value. */
export function prettyJson(text: string, indent = ''): string {
  const value = text.trim();
  const kind = kindOf(value);
  if (kind !== 'object' && kind !== 'array') return value;
  const children = [...childrenOf(value)];
  const isObject = kind === 'object';
  const nameOf = (name: string) => (isObject ? `${JSON.stringify(name)}: ` : '');
  const line = children.map(({ name, text }) => nameOf(name) + prettyJson(text, indent));
  const joined = line.join(', ');
  const isShort = !joined.includes('\n') && joined.length + indent.length <= lineLength;
  if (indent !== '' && isShort) return isObject ? (joined && `{ ${joined} }`) || '{}' : `[${joined}]`;
  const inner = `${indent}  `;
  const lines = children.map(({ name, text }) => inner + nameOf(name) + prettyJson(text, inner));
  const [open, close] = isObject ? '{}' : '[]';
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Returns the text of an object with some members of another, without those that are null. */
export function withMembers(text: string, names: readonly string[]): string {
  const members = [...childrenOf(text.trim())].filter(
    (child) => names.includes(child.name) && child.text !== 'null',
  );
  members.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  return prettyJson(`{${members.map((one) => `${JSON.stringify(one.name)}:${one.text}`).join()}}`);
}
