import { RE2JS } from 're2js';
import { plainPattern } from './plain-pattern.js';

/** A regular expression whose time grows with the text's length only. */
export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** What RE2 does for one character at most; 0 when JavaScript's own engine runs it. */
  instructions: number;
}

/** A regular expression of ECMA-262 as RE2 writes it. */
export function ofRe2(source: string): string {
  return RE2JS.translateRegExp(source);
}

/**
 * ECMA-262's regular expressions as far as RE2 has them: no look-around, no back-references.
 * @throws Error whose message says what RE2 does not understand
 */
export function compilePattern(source: string): Pattern {
  const expression = RE2JS.compile(ofRe2(source));
  const plain = plainPattern(source);
  if (plain) return { test: (text) => plain.test(text), instructions: 0 };
  return { test: (text) => expression.test(text), instructions: expression.programSize() };
}
