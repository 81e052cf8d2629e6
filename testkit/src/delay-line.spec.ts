import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { DelayLine } from './delay-line.js';

function recorder(): { socket: Socket; written: string[] } {
  const written: string[] = [];
  const socket = { writable: true, write: (chunk: Buffer) => written.push(chunk.toString()) };
  return { socket: socket as unknown as Socket, written };
}

describe('chunks with a delay', () => {
  it('arrive at once without a delay', () => {
    const { socket, written } = recorder();
    new DelayLine(socket).send(Buffer.from('a'), 0);
    expect(written).toEqual(['a']);
  });

  it('arrive in order, even if the delay ends while chunks are in flight', async () => {
    const { socket, written } = recorder();
    const line = new DelayLine(socket);
    line.send(Buffer.from('a'), 60);
    line.send(Buffer.from('b'), 20);
    line.send(Buffer.from('c'), 0);
    expect(written).toEqual([]);
    await expect.poll(() => written).toEqual(['a', 'b', 'c']);
    line.send(Buffer.from('d'), 0);
    expect(written).toEqual(['a', 'b', 'c', 'd']);
  });
});
