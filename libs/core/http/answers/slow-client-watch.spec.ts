import { describe, expect, it } from 'vitest';
import { SlowClientWatch } from './slow-client-watch.js';

const bounds = { leastBytes: 1000, withinMs: 20_000, tightMs: 5_000, lookMs: 1_000 };

/** Number of polls in a spec, each after one simulated second. */
const seconds = 100;

/** Returns a fake connection with the counters that the watch reads. */
function givenConnection() {
  const connection = { writableLength: 5_000, bytesWritten: 5_000, cut: false, destroy: () => connection };
  connection.destroy = () => {
    connection.cut = true;
    return connection;
  };
  return connection;
}

function givenWatch(tight = false) {
  const watch = new SlowClientWatch(bounds, () => tight);
  const connection = givenConnection();
  watch.add(connection as never);
  return { watch, connection };
}

/** Returns whether the client is disconnected when it receives this number of bytes in each second. */
function isCutAt(bytesPerSecond: number, tight = false): boolean {
  const { watch, connection } = givenWatch(tight);
  for (let second = 0; second < seconds; second++) {
    watch.look();
    // The process writes more as soon as there is room.
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
  ])('that receives %d bytes a second is disconnected: %s', (bytes, cut) => {
    expect(isCutAt(bytes)).toBe(cut);
  });

  it.each([
    [60, true],
    [300, false],
  ])(
    'has less time while the budget is full: with %d bytes a second it is disconnected: %s',
    (bytes, cut) => {
      expect(isCutAt(bytes, true)).toBe(cut);
    },
  );

  it('is not disconnected while it has received everything, even if the next piece is late', () => {
    const { watch, connection } = givenWatch();
    for (let second = 0; second < seconds; second++) {
      connection.writableLength = second % 15 === 14 ? 0 : 5_000;
      watch.look();
    }
    expect(connection.cut).toBe(false);
  });
});
