import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerSentEventWriter } from './server-sent-event-writer.js';

const forever = new AbortController().signal;

/** Returns an `ServerSentEventWriter` whose client receives nothing until the spec lets it. */
function given(slowMs: number) {
  const response = {
    ...{ writableLength: 0, writableFinished: false, ended: false, destroyed: false },
    write(piece: string | Buffer) {
      response.writableLength += piece.length;
      return true;
    },
    end: () => (response.ended = true),
    destroy: () => (response.destroyed = true),
  };
  const socket = new ServerSentEventWriter(response as never, { bytes: 10, slowMs });
  return { response, socket };
}

describe('the socket to a client', () => {
  it('is full above its limit, and has room when the client has received some bytes', async () => {
    const { response, socket } = given(60_000);
    socket.write('0123456789');
    await socket.room(forever);
    socket.write('0');
    expect(socket.isFull).toBe(true);
    const room = socket.room(forever);
    response.writableLength = 10;
    await room;
  });

  it('rejects for a client that receives nothing for too long', async () => {
    const { socket } = given(5);
    socket.write('01234567890');
    await expect(socket.room(forever)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('stops waiting when the client disconnects', async () => {
    const { socket } = given(60_000);
    socket.write('01234567890');
    const client = new AbortController();
    const room = socket.room(client.signal);
    client.abort(new Error('gone'));
    await expect(room).rejects.toThrow('gone');
  });

  describe('after its last message', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /**
     * Lets the client receive a number of characters every five seconds.
     * @returns how many periods pass until the client is cut off or has received everything
     */
    const looksUntilCut = (taken: number): number => {
      const { response, socket } = given(5);
      socket.write('x'.repeat(97));
      socket.end('bye');
      let looks = 0;
      while (!response.destroyed && !response.writableFinished) {
        response.writableLength = Math.max(0, response.writableLength - taken);
        response.writableFinished = response.writableLength === 0;
        vi.advanceTimersByTime(5_000);
        looks++;
      }
      expect(response.destroyed).toBe(!response.writableFinished);
      return response.destroyed ? looks : Infinity;
    };

    it('waits for a client that makes progress, and cuts off one that makes none or too little', () => {
      expect([looksUntilCut(0), looksUntilCut(1), looksUntilCut(40)]).toEqual([1, 4, Infinity]);
    });
  });

  it('sends the last message and ends', () => {
    const { response, socket } = given(5);
    socket.end('bye');
    expect(response).toMatchObject({ ended: true, writableLength: 3 });
  });
});
