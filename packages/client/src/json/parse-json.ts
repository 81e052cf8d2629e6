import { InvalidAnswerError } from '../errors/tributary-error.js';

/** Parses an answer. @throws InvalidAnswerError */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new InvalidAnswerError('The answer is not JSON.', { cause: error });
  }
}
