import { RE2JS } from 're2js';
import { plainPattern } from './plain-pattern.js';

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
 * Compiles an ECMA-262 regular expression, except for the features that RE2 lacks: look-around and
 * back-references.
 * @throws Error whose message names what RE2 does not accept
 */
export function compilePattern(source: string): LinearPattern {
  const expression = RE2JS.compile(toRe2Syntax(source));
  const plain = plainPattern(source);
  if (plain) return { test: (text) => plain.test(text), instructions: 0 };
  return { test: (text) => expression.test(text), instructions: expression.programSize() };
}
