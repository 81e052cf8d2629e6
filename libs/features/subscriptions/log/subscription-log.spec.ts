import { afterEach, describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import type { ClaimCommand, FreshRange, SnapshotCommand } from '../state/subscription-command.js';
import { SubscriptionLog, type NewCommand } from './subscription-log.js';

const source = 'orders#0000000001';
const names = new TopicAndGroupNames('test.');
const topic = names.subscriptions;
const opened: SubscriptionLog[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((log) => log.close()));
});

/** The runs of subscriptions that exist. */
const runs = new Set(['a', 'b']);

async function givenProcess(log: MemoryLog): Promise<SubscriptionLog> {
  const producer = await log.producer();
  const logger = { error: () => undefined, warn: () => undefined, debug: () => undefined };
  const bounds = { bytes: Infinity, recordBytes: 150 };
  const process = new SubscriptionLog({ log, producer, names, logger, bounds, runs: () => runs });
  opened.push(process);
  return process;
}

const defaults = { lease: 30_000, most: 100, parkedBlocks: true, park: [], again: [] };

/** Claims the next events of a run: as many as there are entities. */
async function claim(process: SubscriptionLog, run: string, entities: readonly string[]) {
  const from = (await process.stateOf(run)).nextOf(source, 0) ?? 0;
  const events = entities.map((entity, i) => [from + i, entity] as const);
  const fresh: FreshRange[] = [{ source, partition: 0, from, next: from + entities.length, events }];
  const command: NewCommand & { type: ClaimCommand['type'] } = { type: 'claim', ...defaults, fresh };
  return (await process.execute(run, command)).granted;
}

async function ack(process: SubscriptionLog, run: string, granted: Awaited<ReturnType<typeof claim>>) {
  const refs = granted.map(({ partition, offset, claim }) => [source, partition, offset, claim] as const);
  const command = {
    type: 'settle',
    ack: refs,
    nack: [],
    extend: [],
    release: [],
    releaseDelay: 0,
    lease: 0,
  } as const;
  return (await process.execute(run, command)).settled;
}

async function stateOf(process: SubscriptionLog, run: string): Promise<SnapshotCommand[]> {
  return (await process.stateOf(run)).snapshot('x', 0, 1e6);
}

/** Requires that all processes, and one that starts now, have the same states. */
async function expectSame(log: MemoryLog, processes: readonly SubscriptionLog[]): Promise<void> {
  const fresh = await givenProcess(log);
  const [first] = processes;
  // Whoever has read its own command back has read all commands before it.
  for (const process of [...processes, fresh]) await ack(process, 'a', []);
  for (const run of runs) {
    const expected = await stateOf(first!, run);
    for (const process of [...processes, fresh]) expect(await stateOf(process, run)).toEqual(expected);
  }
}

const recordsOf = async (log: MemoryLog) => (await log.admin.offsets(topic))[0]!;

describe('the log of subscriptions', () => {
  it('gives all processes the same states, and one of two that claim the same events those events', async () => {
    const log = new MemoryLog();
    const [one, two] = [await givenProcess(log), await givenProcess(log)];
    const [first, second] = await Promise.all([claim(one, 'a', ['x', 'y']), claim(two, 'a', ['x', 'y'])]);
    expect([first.length, second.length].sort()).toEqual([0, 2]);
    await claim(two, 'b', ['z']);
    expect(await ack(two, 'a', [...first, ...second])).toEqual(['done', 'done']);
    await expectSame(log, [one, two]);
  });

  it('is short after the states were written, and a new process has the same states', async () => {
    const log = new MemoryLog();
    const [one, two] = [await givenProcess(log), await givenProcess(log)];
    const granted = await claim(one, 'a', ['v', 'w', 'x', 'y', 'y']);
    await ack(one, 'a', granted.slice(0, 1));
    await claim(one, 'b', ['z']);
    const { end } = await recordsOf(log);
    await two.writeSnapshots();
    expect((await recordsOf(log)).beginning).toBe(end);
    await expectSame(log, [one, two]);
    expect(await ack(one, 'a', granted.slice(1))).toEqual(['done', 'done', 'done']);
    await expectSame(log, [one, two]);
    await one.writeSnapshots();
    await expectSame(log, [one, two]);
    expect((await (await givenProcess(log)).stateOf('b')).counts.out).toBe(1);
  });

  it('loses nothing when two processes write the states at once, while others write commands', async () => {
    const log = new MemoryLog();
    const [one, two] = [await givenProcess(log), await givenProcess(log)];
    for (let i = 0; i < 20; i++) {
      const granted = await claim(one, 'a', ['x', `${i}`]);
      await Promise.all([
        one.writeSnapshots(),
        ack(two, 'a', granted.slice(0, i % 2)),
        two.writeSnapshots(),
        claim(two, 'b', [`${i}`]),
      ]);
      await expectSame(log, [one, two]);
    }
  });

  it('does not use a snapshot that a frozen process has written after later commands were deleted', async () => {
    const log = new MemoryLog();
    const [one, frozen] = [await givenProcess(log), await givenProcess(log)];
    const granted = await claim(one, 'a', ['x']);
    const late = (await frozen.stateOf('a')).snapshot('late', (await recordsOf(log)).end - 1, 1e6);
    await ack(one, 'a', granted);
    await one.writeSnapshots();
    const producer = await log.producer();
    await producer.append(
      late.map((chunk) => ({ topic, key: 'a', partition: 0, value: JSON.stringify(chunk) })),
    );
    await expectSame(log, [one]);
    expect((await (await givenProcess(log)).stateOf('a')).open).toBe(0);
  });

  it('is not served when records were lost that no snapshot covers', async () => {
    const log = new MemoryLog();
    const one = await givenProcess(log);
    await claim(one, 'a', ['x']);
    await claim(one, 'a', ['y']);
    await log.admin.deleteRecords({ topic, partition: 0 }, 1);
    await expect((await givenProcess(log)).stateOf('a')).rejects.toThrow('records were lost');
    await one.writeSnapshots();
    await expectSame(log, [one]);
  });

  it('does not use a snapshot that is behind itself, of records that the log has lost', async () => {
    const log = new MemoryLog();
    const one = await givenProcess(log);
    const granted = await claim(one, 'a', ['x']);
    const late = (await one.stateOf('a')).snapshot('late', 1_000, 1e6);
    const producer = await log.producer();
    await producer.append(
      late.map((chunk) => ({ topic, key: 'a', partition: 0, value: JSON.stringify(chunk) })),
    );
    await ack(one, 'a', granted);
    await expectSame(log, [one]);
    expect((await (await givenProcess(log)).stateOf('a')).open).toBe(0);
  });

  it('skips records of an unknown form', async () => {
    const log = new MemoryLog();
    const one = await givenProcess(log);
    await claim(one, 'a', ['x']);
    const producer = await log.producer();
    for (const value of ['', '{', '[]', '{"type":"other"}', 'null'])
      await producer.append([{ topic, key: 'a', partition: 0, value }]);
    await claim(one, 'a', ['y']);
    await expectSame(log, [one]);
  });
});
