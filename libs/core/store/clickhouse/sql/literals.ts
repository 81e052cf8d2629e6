import { SqlParams } from '../sql-params.js';

/**
 * Variant of `SqlValueBinder` whose `bind` returns the value as an escaped SQL literal, for settings and views, where
 * ClickHouse accepts no parameters.
 */
export class SqlLiteralBinder extends SqlParams {
  override bind(_type: string, value: unknown): string {
    return sqlLiteral(value);
  }
}

/** Returns a string, a number or a list of these as an escaped SQL literal. @throws TypeError for any other value */
export function sqlLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sqlLiteral).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quoteText(value);
  throw new TypeError('A literal must be a string, a number or a list of these');
}

/** Returns the text as an escaped SQL string literal. */
export function quoteText(text: string): string {
  return `'${escaped(text, "'")}'`;
}

/** Returns the name as an escaped SQL identifier in backticks. */
export function quoteIdentifier(name: string): string {
  return `\`${escaped(name, '`')}\``;
}

function escaped(text: string, quote: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0');
}
