import { InvalidAnswerError } from '../errors/tributary-error.js';

/**
 * Yields the lines of an answer; leaving the loop cancels the request. @throws InvalidAnswerError if the last line
 * has no line end
 */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') throw new InvalidAnswerError('The answer was cut off.');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
