import { describe, expect, it } from 'vitest';
import { SendWatch } from './send-watch.js';

const bounds = { leastBytes: 1000, withinMs: 20_000, tightMs: 5_000, lookMs: 1_000 };

/** Specs look themselves, as if each time a second had passed. */
const seconds = 100;

/** A connection as its counters show it. */
function givenConnection() {
  const connection = { writableLength: 5_000, bytesWritten: 5_000, cut: false, destroy: () => connection };
  connection.destroy = () => {
    connection.cut = true;
    return connection;
  };
  return connection;
}

function givenWatch(tight = false) {
  const watch = new SendWatch(bounds, () => tight);
  const connection = givenConnection();
  watch.add(connection as never);
  return { watch, connection };
}

/** Whether the client is cut off when it takes so many bytes in each second. */
function isCutAt(bytesPerSecond: number, tight = false): boolean {
  const { watch, connection } = givenWatch(tight);
  for (let second = 0; second < seconds; second++) {
    watch.look();
    // More follows as soon as there is room.
    connection.bytesWritten += bytesPerSecond;
  }
  return connection.cut;
}

describe('a client with an answer waiting', () => {
  it.each([
    [0, true],
    [1, true],
    [40, true],
    [60, false],
    [100_000, false],
  ])('that takes %d bytes a second is cut off: %s', (bytes, cut) => {
    expect(isCutAt(bytes)).toBe(cut);
  });

  it.each([
    [60, true],
    [300, false],
  ])('has less time while answers are refused: with %d bytes a second it is cut off: %s', (bytes, cut) => {
    expect(isCutAt(bytes, true)).toBe(cut);
  });

  it('is not cut off while it has taken everything, however long the next piece takes', () => {
    const { watch, connection } = givenWatch();
    for (let second = 0; second < seconds; second++) {
      connection.writableLength = second % 15 === 14 ? 0 : 5_000;
      watch.look();
    }
    expect(connection.cut).toBe(false);
  });
});
