import { RE2JS } from 're2js';

/** A compiled regular expression whose search takes time in proportion to the length of the text. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Upper bound on the RE2 instructions for one character; 0 if JavaScript's own engine runs the pattern. */
  instructions: number;
}

/** Translates an ECMA-262 regular expression to RE2's syntax. */
export function toRe2Syntax(source: string): string {
  return RE2JS.translateRegExp(source);
}

/**
 * Compiles an ECMA-262 regular expression, except for the features that RE2 lacks: look-around and back-references.
 * @throws Error whose message names what RE2 does not accept
 */
export function compilePattern(source: string): LinearPattern {
  const expression = RE2JS.compile(toRe2Syntax(source));
  const plain = plainPattern(source);
  if (plain) return { test: (text) => plain.test(text), instructions: 0 };
  return { test: (text) => expression.test(text), instructions: expression.programSize() };
}

const literal = String.raw`[\w @:/#,=<>~!%&"'\x60;-]`;
const escaped = String.raw`\\[dw.\/^$*+?()[\]{}|\\]`;
const inClass = String.raw`(?:[\w @:/#,=<>~!%&"'\x60;.+*?(){}|$]|\\[dw.\/^$*+?()[\]{}|\\-])`;
const range = String.raw`(?:a-z|A-Z|0-9|a-f|A-F)`;
const atom = String.raw`(?:${literal}|${escaped}|\[(?:${range}|${inClass})+-?\])`;
const quantifier = String.raw`[?*+]|\{\d{1,3}(?:,\d{0,3})?\}`;
const plain = new RegExp(String.raw`^\^(?:${atom}(?:${quantifier})?)*\$$`);
const parts = new RegExp(String.raw`${atom}(${quantifier})?`, 'g');

/**
 * Maximum number of ways to choose the lengths of the parts before a text is rejected. With an unbounded
 * part, the limit applies at each possible end of that part.
 */
const mostWays = 1_000;
const mostWaysWithOpenEnd = 8;

/**
 * Returns a RegExp if the expression is so simple that JavaScript's own engine also takes linear time and gives the
 * same result as RE2. A simple expression is anchored at both ends and consists of ASCII characters and classes,
 * without groups, with at most one part of unbounded length. Returns undefined for any other expression. JavaScript's
 * engine is several times as fast as RE2.
 */
export function plainPattern(source: string): RegExp | undefined {
  if (!plain.test(source)) return undefined;
  let ways = 1;
  let unbounded = 0;
  for (const [, quantity] of source.slice(1, -1).matchAll(parts)) {
    const choices = choicesOf(quantity);
    if (choices < 1) return undefined;
    if (choices === Infinity) unbounded++;
    else ways *= choices;
  }
  if (unbounded > 1 || ways > (unbounded === 1 ? mostWaysWithOpenEnd : mostWays)) return undefined;
  return new RegExp(source);
}

function choicesOf(quantity: string | undefined): number {
  if (quantity === undefined) return 1;
  if (quantity === '?') return 2;
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantity) ?? [undefined, '0', ',', ''];
  if (comma === '') return 1;
  return most === '' ? Infinity : Number(most) - Number(least) + 1;
}
