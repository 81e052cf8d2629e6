import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventSocket } from './event-socket.js';

const forever = new AbortController().signal;

/** A client that takes nothing until the spec says so. */
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
  const socket = new EventSocket(response as never, { bytes: 10, slowMs });
  return { response, socket };
}

describe('the way to a client', () => {
  it('is full past its bound, and has room when the client has taken some', async () => {
    const { response, socket } = given(60_000);
    socket.write('0123456789');
    await socket.room(forever);
    socket.write('0');
    expect(socket.isFull).toBe(true);
    const room = socket.room(forever);
    response.writableLength = 10;
    await room;
  });

  it('refuses a client that takes nothing for too long', async () => {
    const { socket } = given(5);
    socket.write('01234567890');
    await expect(socket.room(forever)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('waits no longer for who has gone', async () => {
    const { socket } = given(60_000);
    socket.write('01234567890');
    const client = new AbortController();
    const room = socket.room(client.signal);
    client.abort(new Error('gone'));
    await expect(room).rejects.toThrow('gone');
  });

  describe('when it has said the last thing', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** The client takes so many characters in each five seconds. @returns how often until it is cut off, or has it all */
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

    it('waits for a client that takes what is before it, and cuts off one that takes nothing, or too little', () => {
      expect([looksUntilCut(0), looksUntilCut(1), looksUntilCut(40)]).toEqual([1, 4, Infinity]);
    });
  });

  it('says the last thing and ends', () => {
    const { response, socket } = given(5);
    socket.end('bye');
    expect(response).toMatchObject({ ended: true, writableLength: 3 });
  });
});
