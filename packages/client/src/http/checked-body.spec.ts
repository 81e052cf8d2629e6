import { describe, expect, it } from 'vitest';
import { InvalidAnswerError } from '../errors/tributary-error.js';
import { Tributary } from '../tributary.js';

/** A client whose answers have this body. */
function given(body: ReadableStream<Uint8Array>): Tributary {
  const headers = { 'content-type': 'application/x-ndjson' };
  const fetch = () => Promise.resolve(new Response(body, { headers }));
  return new Tributary({ url: 'http://tributary', fetch });
}

describe('the bytes of an export', () => {
  it('reject with an error of the client if the connection breaks', async () => {
    const pieces = ['{}\n'];
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.error(new TypeError('terminated'));
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const reader = (await given(broken).export()).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('{}\n');
    const next = reader.read();
    await expect(next).rejects.toBeInstanceOf(InvalidAnswerError);
    await expect(next).rejects.toThrow('The answer was cut off: terminated');
  });

  it('cancel the request when the reader stops', async () => {
    let reason: unknown;
    const endless = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) });
    await (await given(endless).export()).cancel('enough');
    expect(reason).toBe('enough');
  });
});
