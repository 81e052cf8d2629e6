import { positionOf } from './expression-error.js';
import { rangeOf, type TextRange } from './json-position.js';

/** An error that a problem of the API names: a JSON pointer, and what is wrong there. */
export interface PointedError {
  pointer: string;
  detail: string;
}

/** An error of a text, where it is, and the pointer that names it. */
export interface LocatedError extends TextRange {
  pointer: string;
  message: string;
}

/** Returns where the errors of a definition are in its text. An error of an expression has the range from its character. */
export function locatedErrors(text: string, errors: readonly PointedError[]): LocatedError[] {
  return errors.map(({ pointer, detail }) => {
    const inDefinition = pointer.replace(/^\/definition(?=\/|$)/, '');
    const range = rangeOf(text, inDefinition);
    const position = positionOf(detail);
    const isPlain = text[range.from] === '"' && !text.slice(range.from, range.to).includes('\\');
    if (!position || !isPlain) return { ...range, pointer: inDefinition, message: detail };
    const from = Math.min(range.from + 1 + position.at, range.to - 1);
    return {
      from,
      to: range.to - 1 > from ? range.to - 1 : range.to,
      pointer: inDefinition,
      message: detail,
    };
  });
}
