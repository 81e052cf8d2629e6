/** Splits JSON text into escaped surrogate pairs, other escapes, and the text between them. */
const escapes = String.raw`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\[^u]|[^\\]+`;
const surrogate = String.raw`^\\u[dD][89a-fA-F]..$`;
/** Splits JSON text into numbers and the text between them, to which every string belongs with its digits. */
const numbers = String.raw`[-0-9][-+.0-9eE]*|(?:[^-"0-9]|"(?:[^"\\]|\\.)*")+`;
const number = '^[-0-9]';
const largest = '1.7976931348623157e308';

/**
 * Returns SQL for a JSON column in a form that ClickHouse's JSON functions can read. They read nothing of a document
 * with an integer of more than 64 bits, a number too large for a double, or an unpaired surrogate; these become what
 * expressions see: a double, the largest double, or U+FFFD. Other documents are not rewritten, which would cost several
 * times as much as reading (8 µs for 120 bytes).
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
 * Returns SQL for a JSON column in which long numbers are replaced by strings, so that ClickHouse can read all their
 * digits. For a document without long numbers, the result equals that of `readableColumn`.
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

/** Returns a regular expression as an SQL string literal. */
function quoted(pattern: string): string {
  return `'${pattern.replaceAll('\\', '\\\\')}'`;
}
