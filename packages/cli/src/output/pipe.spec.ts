import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutputPipe } from './output-writer.js';

/** A stream whose reader never reads. */
const stuck = () => new Writable({ highWaterMark: 1, write: () => undefined });

describe('a pipe that was closed', () => {
  it('does not block its writers', async () => {
    const closed = new AbortController();
    const pipe = new OutputPipe(stuck(), new AbortController().signal, closed.signal);
    const waiting = pipe.write('ab');
    closed.abort();
    await waiting;
    await pipe.write('cd');
  });

  it('ends with its signal', async () => {
    const ended = new AbortController();
    const waiting = new OutputPipe(stuck(), ended.signal).write('ab');
    ended.abort(new Error('ended'));
    await expect(waiting).rejects.toThrow('ended');
  });
});
