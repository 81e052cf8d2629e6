import { describe, expect, it } from 'vitest';
import { readUuidText } from '#event';
import { LeaderEpochs } from '#kafka/memory';
import type { IdWindowReader } from './id-window-reader.js';
import { IdWindowLostError } from './shared-id-window.js';
import { SharedIdWindows, type IdWindowRequest } from './shared-id-windows.js';

const words = (n: number): Uint32Array => {
  const id = new Uint32Array(4);
  readUuidText(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`, id);
  return id;
};
const bounds = { records: 1000, milliseconds: 1_000_000 };
const at = (position: number, more: Partial<IdWindowRequest> = {}): IdWindowRequest => ({
  ...{ topic: 't', partition: 0, beginning: 0, position, warmUpStart: Math.max(0, position - 1000) },
  epochBefore: () => -1,
  ...more,
});
const read = (reader: IdWindowReader, from: number, until: number): boolean[] => {
  const decisions = [];
  for (let offset = from; offset < until; offset++)
    decisions.push(reader.repeatsWords(words(offset % 700), offset, 0));
  return decisions;
};

describe('A shared id window and the leader epochs of its log', () => {
  it('given that retention has deleted all records and the leader has changed, stays for a new group, which has not read the records before', () => {
    const windows = new SharedIdWindows(bounds);
    // Records 0 to 149 are of leader 5; live pipeline has read all of them.
    const live = windows.open(at(100, { epochBefore: (o) => (o > 150 ? 6 : 5) }));
    read(live, live.start, 150);
    // Retention deletes them: beginning = end = 150. A new pipeline's group has no committed offset.
    const epochs = new LeaderEpochs({ offset: -1, leaderEpoch: -1 });
    const fresh = windows.open(
      at(150, { beginning: 150, warmUpStart: 150, epochBefore: (o) => epochs.before(o) }),
    );
    // The broker restarts; leader 6 writes record 150, which the new pipeline reads first. It repeats the id of record 149.
    epochs.add([{ leaderEpoch: 6, from: fresh.start }], 151);
    expect(fresh.repeatsWords(words(149), 150, 0)).toBe(true);
    expect(live.repeatsWords(words(149), 150, 0)).toBe(true);
  });

  it('given that retention has deleted all records, serves a reader that opens at the end', () => {
    const windows = new SharedIdWindows(bounds);
    const live = windows.open(at(5000));
    read(live, live.start, 6000);
    const other = windows.open(at(6000, { beginning: 6000, warmUpStart: 6000, readsStore: true }));
    expect([other.isPrivate, other.start, windows.size]).toEqual([false, 6000, 1]);
  });

  it('given that it has a wrong epoch, is given up: no reader is fenced for ever', () => {
    const windows = new SharedIdWindows(bounds);
    const poisoned = windows.open(at(130, { epochBefore: (o) => (o >= 130 ? 6 : o > 120 ? 5 : 4) }));
    read(poisoned, poisoned.start, 140);
    let fenced = 0;
    for (let attempt = 0; attempt < 1000; attempt++) {
      const right = windows.open(at(125, { epochBefore: (o) => (o > 130 ? 6 : o > 120 ? 5 : 4) }));
      try {
        read(right, right.start, 140);
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(IdWindowLostError);
        fenced++;
        right.close();
      }
    }
    expect(fenced).toBeLessThan(10);
  });

  it('given a topic that was created again by hand, is given up: no reader is fenced for ever', () => {
    const windows = new SharedIdWindows(bounds);
    const epochs = new LeaderEpochs({ offset: 0, leaderEpoch: -1 });
    const silent = windows.open(at(0, { epochBefore: (o) => epochs.before(o) }));
    epochs.add([{ leaderEpoch: 7, from: 0 }], 100);
    read(silent, 0, 100);
    // The topic is new and has 200 records already: this reader's fetch at 100 succeeds.
    epochs.add([{ leaderEpoch: 0, from: 100 }], 200);
    read(silent, 100, 200);
    let fenced = 0;
    for (let attempt = 0; attempt < 1000; attempt++) {
      // A projection that is reset, or whose consumer noticed: it reads the new topic from its start.
      const right = windows.open(at(0, { epochBefore: () => 0 }));
      try {
        read(right, right.start, 200);
        break;
      } catch {
        fenced++;
        right.close();
      }
    }
    expect(fenced).toBeLessThan(10);
  });

  it('given a private one whose gap the store has filled, compares only records of the log', () => {
    const windows = new SharedIdWindows(bounds);
    const epochs = new LeaderEpochs({ offset: 4500, leaderEpoch: -1 });
    const one = windows.open(
      at(4500, {
        beginning: 4500,
        warmUpStart: 4500,
        readsStore: true,
        epochBefore: (o) => epochs.before(o),
      }),
    );
    epochs.add([{ leaderEpoch: 1, from: 4500 }], 4600);
    read(one, 4500, 4600);
    one.readsStoreBelow(5000);
    read(one, 4600, 5000);
    epochs.add([{ leaderEpoch: 2, from: 4600 }], 5100);
    expect(() => read(one, 5000, 5100)).not.toThrow();
  });
});

describe('A shared id window of a log that has lost records', () => {
  it('does not take the log time of a reader that is fenced', () => {
    const windows = new SharedIdWindows({ records: 1000, milliseconds: 1000 });
    const late = windows.open(at(0, { epochBefore: () => 1 }));
    const one = windows.open(at(0, { epochBefore: () => 2 }));
    one.startAt(0);
    one.repeatsWords(words(1), 0, 0);
    // The host calls `startAt` with the time of the first record, a lost one, before the epochs are compared.
    late.startAt(5000);
    expect(() => late.repeatsWords(words(9), 0, 5000)).toThrow(IdWindowLostError);
    expect(one.repeatsWords(words(1), 1, 1)).toBe(true);
  });
});
