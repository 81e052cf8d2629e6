/** An escaped surrogate pair, another escape of four digits, another escape, and what lies between escapes. */
const escapes = String.raw`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\[^u]|[^\\]+`;
const surrogate = String.raw`^\\u[dD][89a-fA-F]..$`;
/** Numbers, and what lies between them: strings are passed over whole, whatever digits they hold. */
const numbers = String.raw`[-0-9][-+.0-9eE]*|(?:[^-"0-9]|"(?:[^"\\]|\\.)*")+`;
const number = '^[-0-9]';
const largest = '1.7976931348623157e308';

/**
 * A column with JSON, as ClickHouse's JSON functions can read it. They read nothing at all of a document in which one
 * whole number does not fit into 64 bits, one number is too large for a double, or one escaped surrogate stands alone.
 * In such a document those become what expressions see in them: a double, the largest double, U+FFFD. Only there, as
 * that costs several times what reading does (8 µs for 120 bytes).
 */
export function readable(column: string): string {
  const repaired = mapped(
    wellFormed(column),
    numbers,
    `multiIf(NOT match(part, ${quoted(number)}) OR isValidJSON(part), part, ` +
      `isValidJSON(concat(part, 'e0')), concat(part, 'e0'), startsWith(part, '-'), '-${largest}', '${largest}')`,
  );
  return `if(isValidJSON(${column}), ${column}, ${repaired})`;
}

/** A number that is not the shortest text of a double, perhaps: it has many digits, or an exponent. */
const longNumber = String.raw`[:,\[\s]-?([0-9.]{16}|[0-9.]+[eE])`;

/**
 * The same column with long numbers as strings, so that they can be read with all their digits. Where it has none, which
 * is what most documents are like, it is the readable one.
 */
export function exact(column: string): string {
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

/** A pattern of this file as a literal of SQL. */
function quoted(pattern: string): string {
  return `'${pattern.replaceAll('\\', '\\\\')}'`;
}
