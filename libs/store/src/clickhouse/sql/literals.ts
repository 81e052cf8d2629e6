import { Params } from '../params.js';

/**
 * Writes values as literals into the SQL text, for settings and views, where ClickHouse accepts no
 * parameters.
 */
export class Literals extends Params {
  override bind(_type: string, value: unknown): string {
    return literal(value);
  }
}

export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quoted(value);
  throw new TypeError('A literal must be a string, a number or a list of these');
}

export function quoted(text: string): string {
  return `'${escaped(text, "'")}'`;
}

export function quotedName(name: string): string {
  return `\`${escaped(name, '`')}\``;
}

function escaped(text: string, quote: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0');
}
