import { unknownEpoch } from '../../epoch-position.js';
import { describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { LeaderEpochs, lostFrom, lostRecordsOf } from './leader-epochs.js';

describe('the leader epochs of a partition', () => {
  it('given a committed position and records of three leaders, names the epoch of the record before each offset', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add(
      [
        { leaderEpoch: 4, from: 100 },
        { leaderEpoch: 6, from: 150 },
      ],
      170,
    );
    epochs.add([{ leaderEpoch: 9, from: 170 }], 180);
    expect([100, 101, 150, 151, 170, 171, 180].map((offset) => epochs.before(offset))).toEqual([
      4, 4, 4, 6, 6, 9, 9,
    ]);
    expect(epochs.last).toEqual({ offset: 180, leaderEpoch: 9 });
  });

  it('given records of three leaders, finds where those of another leader begin in a range', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add(
      [
        { leaderEpoch: 4, from: 100 },
        { leaderEpoch: 6, from: 150 },
        { leaderEpoch: 9, from: 170 },
      ],
      180,
    );
    expect(epochs.startIn(100, 149)).toBeUndefined();
    expect(epochs.startIn(100, 150)).toBe(150);
    expect(epochs.startIn(151, 180)).toBe(170);
  });

  it('given no position before the records, does not know whether another leader wrote the first', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: unknownEpoch });
    epochs.add([{ leaderEpoch: 4, from: 100 }], 120);
    expect([epochs.startIn(100, 110), epochs.startIn(101, 110)]).toEqual([100, undefined]);
  });

  it('given records before the committed position, keeps the committed position until reading has passed it', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add([{ leaderEpoch: 2, from: 50 }], 80);
    expect(epochs.last).toEqual({ offset: 100, leaderEpoch: 4 });
    expect(epochs.isPassedBy([{ leaderEpoch: 4, from: 80 }])).toBe(false);
    expect(epochs.isPassedBy([{ leaderEpoch: 5, from: 80 }])).toBe(true);
  });

  it('given a committed offset that retention has passed, does not know the leader of the deleted records after it', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add([{ leaderEpoch: 6, from: 150 }], 160);
    expect(epochs.before(150)).toBe(unknownEpoch);
  });

  it('given records before the earlier position, does not know the epoch of a record between those that were fetched and the earlier position', () => {
    // This member had read up to 100 (epoch 5) before; the log has epoch 3 to 75, 4 to 95, 5 from there. Committed: 60.
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 5 });
    epochs.add([{ leaderEpoch: 3, from: 50 }], 70);
    // `PartitionTaskHost.process` commits the checkpoint (90) with the first batch.
    expect(epochs.before(90)).toBe(unknownEpoch);
  });

  it('given an earlier position of unknown epoch, checks the log when the leader changes within the warm-up', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: unknownEpoch });
    epochs.add([{ leaderEpoch: 5, from: 50 }], 80);
    expect(epochs.isPassedBy([{ leaderEpoch: 6, from: 80 }])).toBe(true);
  });

  it('given a checkpoint that was committed during warm-up, does not take an intact log for one that has lost records', async () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 5 });
    epochs.add([{ leaderEpoch: 3, from: 50 }], 70);
    const committed = { topic: 't', partition: 0, offset: 90, leaderEpoch: epochs.before(90) };
    // The broker of the intact log: epoch 3 ends at 75, 4 at 95.
    const ends: Record<number, number> = { 3: 75, 4: 95, 5: 100 };
    const endOffset = ends[committed.leaderEpoch] ?? -1;
    const send = async () => [{ topic: 't', partition: 0, errorCode: 0, endOffset }];
    const client = { broker: async () => ({ connectionPool: { send } }) } as unknown as ClusterClient;
    expect(await lostFrom(client, 1, committed)).toBeUndefined();
  });

  it('given no committed offset, does not know who wrote the record before the first that was read', () => {
    // What GroupSession passes for a group without a commit; the log begins at 0 and another leader has written all of it anew.
    const epochs = new LeaderEpochs({ offset: -1, leaderEpoch: unknownEpoch });
    epochs.add([{ leaderEpoch: 6, from: 0 }], 25);
    expect(epochs.startIn(0, 10)).toBe(0);
    expect(epochs.before(0)).toBe(unknownEpoch);
  });

  it('given an unknown epoch, is passed by no record', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: unknownEpoch });
    expect(epochs.isPassedBy([{ leaderEpoch: 5, from: 100 }])).toBe(false);
    expect(epochs.before(100)).toBe(unknownEpoch);
  });

  it('given an offset after all records that were read, does not know its epoch', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add([{ leaderEpoch: 4, from: 100 }], 120);
    expect([120, 121].map((offset) => epochs.before(offset))).toEqual([4, unknownEpoch]);
  });

  it('given damaged records of an unknown epoch, does not name the epoch before for them', () => {
    const epochs = new LeaderEpochs({ offset: 100, leaderEpoch: 4 });
    epochs.add([{ leaderEpoch: 4, from: 100 }], 120);
    // The records from 120 to 129 are damaged.
    epochs.add([{ leaderEpoch: 6, from: 130 }], 140);
    expect([120, 121, 130, 140].map((offset) => epochs.before(offset))).toEqual([4, 6, 6, 6]);
  });

  it('given a leader that changes a thousand times, keeps few epochs and names the latest', () => {
    const epochs = new LeaderEpochs({ offset: 0, leaderEpoch: 0 });
    for (let n = 1; n <= 1_000; n++) epochs.add([{ leaderEpoch: n, from: n * 10 }], n * 10 + 10);
    expect(epochs.before(10_010)).toBe(1_000);
    expect(epochs.before(9_900)).toBe(989);
    expect(epochs.before(500)).toBe(unknownEpoch);
  });
});

describe('the records that the log has lost', () => {
  function givenBroker(answers: { partition: number; errorCode?: number; endOffset: number }[]) {
    const asked: number[] = [];
    const send = async () => answers.map((answer) => ({ topic: 't', errorCode: 0, ...answer }));
    const client = {
      broker: async (node: number) => {
        asked.push(node);
        return { connectionPool: { send } };
      },
    } as unknown as ClusterClient;
    return { client, asked };
  }
  const at = (partition: number, offset: number, leaderEpoch = 3) => ({
    topic: 't',
    ...{ partition, offset, leaderEpoch },
  });

  const lookUp = { leaderOf: () => 7, failed: () => undefined };

  it('are those after the end of the epoch of their position', async () => {
    const { client } = givenBroker([
      { partition: 0, endOffset: 100 },
      { partition: 1, endOffset: 99 },
      { partition: 2, endOffset: -1 },
    ]);
    const found = await lostRecordsOf(client, [at(0, 100), at(1, 100), at(2, 100)], lookUp);
    expect([...found]).toEqual([
      ['t/0', undefined],
      ['t/1', { from: 99, until: 100 }],
      ['t/2', { from: 0, until: 100 }],
    ]);
  });

  it('are none if the epoch is unknown, which no broker is asked about', async () => {
    const { client, asked } = givenBroker([]);
    const found = await lostRecordsOf(client, [at(0, 100, unknownEpoch)], lookUp);
    expect([...found]).toEqual([['t/0', undefined]]);
    expect(asked).toEqual([]);
  });

  it('are unknown of a partition that has another leader meanwhile, and known of the others', async () => {
    const { client } = givenBroker([
      { partition: 0, errorCode: 6, endOffset: -1 },
      { partition: 1, endOffset: 99 },
    ]);
    const errors: unknown[] = [];
    const failed = (error: unknown): unknown => errors.push(error);
    const found = await lostRecordsOf(client, [at(0, 100), at(1, 100)], { ...lookUp, failed });
    expect([...found]).toEqual([['t/1', { from: 99, until: 100 }]]);
    expect(errors).toMatchObject([{ type: 'NOT_LEADER_FOR_PARTITION' }]);
    await expect(lostFrom(client, 7, at(0, 100))).rejects.toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION' });
  });
});
