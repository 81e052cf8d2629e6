import { SqlParams } from '../sql-params.js';

/**
 * Writes values as literals into the SQL text, for settings and views, where ClickHouse accepts no
 * parameters.
 */
export class LiteralParams extends SqlParams {
  override bind(_type: string, value: unknown): string {
    return sqlLiteral(value);
  }
}

export function sqlLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sqlLiteral).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quoteText(value);
  throw new TypeError('A literal must be a string, a number or a list of these');
}

export function quoteText(text: string): string {
  return `'${escaped(text, "'")}'`;
}

export function quoteIdentifier(name: string): string {
  return `\`${escaped(name, '`')}\``;
}

function escaped(text: string, quote: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0');
}
