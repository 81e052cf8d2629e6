/** Matches an escaped surrogate pair, another escape of four digits, any other escape, or the text between escapes. */
const escapes = String.raw`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\[^u]|[^\\]+`;
const surrogate = String.raw`^\\u[dD][89a-fA-F]..$`;
/** Matches a number, or the text between numbers. Strings are skipped as a whole, whatever digits they contain. */
const numbers = String.raw`[-0-9][-+.0-9eE]*|(?:[^-"0-9]|"(?:[^"\\]|\\.)*")+`;
const number = '^[-0-9]';
const largest = '1.7976931348623157e308';

/**
 * Returns SQL for a JSON column in a form that ClickHouse's JSON functions can read. Those functions cannot read a
 * document at all if an integer does not fit into 64 bits, if a number is too large for a double, or if an escaped
 * surrogate is unpaired. In such a document, these values become what expressions see: a double, the largest double, or
 * U+FFFD. Other documents are not rewritten, because that costs several times as much as reading them (8 µs for 120
 * bytes).
 */
export function readableColumn(column: string): string {
  const repaired = mapped(
    wellFormed(column),
    numbers,
    `multiIf(NOT match(part, ${quoted(number)}) OR isValidJSON(part), part, ` +
      `isValidJSON(concat(part, 'e0')), concat(part, 'e0'), startsWith(part, '-'), '-${largest}', '${largest}')`,
  );
  return `if(isValidJSON(${column}), ${column}, ${repaired})`;
}

/** Matches a number that may not be the shortest text of a double, because it has many digits or an exponent. */
const longNumber = String.raw`[:,\[\s]-?([0-9.]{16}|[0-9.]+[eE])`;

/**
 * Returns SQL for the column with long numbers as strings, so that they can be read with all their digits. Most
 * documents have no long numbers; for them, it is the readable column.
 */
export function exactColumn(column: string): string {
  const isLong = `match(part, ${quoted(number)}) AND (length(part) > 15 OR match(part, '[eE]'))`;
  const texts = mapped(wellFormed(column), numbers, `if(${isLong}, concat('"', part, '"'), part)`);
  return `if(match(${column}, ${quoted(longNumber)}), ${texts}, readable_${column})`;
}

function wellFormed(column: string): string {
  return mapped(column, escapes, `if(match(part, ${quoted(surrogate)}), '\\\\ufffd', part)`);
}

function mapped(text: string, parts: string, sql: string): string {
  return `arrayStringConcat(arrayMap(part -> ${sql}, extractAll(${text}, ${quoted(parts)})))`;
}

/** Returns a pattern of this file as an SQL literal. */
function quoted(pattern: string): string {
  return `'${pattern.replaceAll('\\', '\\\\')}'`;
}
