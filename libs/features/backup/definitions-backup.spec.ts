import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { LogUnavailableError, UnknownTopicError } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { openDefinitions, resourceKinds, systemActor, type Definitions } from '#registry';
import { aKey } from '../../core/registry/contract/definition-examples.js';
import { DefinitionsBackupError, exportDefinitions, importDefinitions } from './definitions-backup.js';

const names = new TopicAndGroupNames('t.');
let log: MemoryLog;
let opened: Definitions[];
beforeEach(() => {
  log = new MemoryLog();
  opened = [];
});
afterEach(async () => {
  for (const definitions of opened) await definitions.close();
  await log.close();
});

async function started(): Promise<Definitions> {
  const definitions = openDefinitions({
    log,
    names,
    defaults: { partitions: 2 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  opened.push(definitions);
  await definitions.start();
  return definitions;
}

/** Creates definitions after which the topic also has records that are no longer current. */
async function someDefinitions(): Promise<Definitions> {
  const definitions = await started();
  await definitions.createStream({ stream: 'orders' }, systemActor);
  await definitions.createStream({ stream: 'left' }, systemActor);
  await definitions.deleteStream('left', async () => undefined, systemActor);
  const key = aKey('k1');
  await definitions.keys.change(key.key_id, () => key, systemActor);
  await definitions.keys.change(key.key_id, (now) => now && { ...now, name: 'another' }, systemActor);
  return definitions;
}

describe('a backup of the definitions', () => {
  it('restores the definitions, which can be changed after that', async () => {
    const before = await someDefinitions();
    const lines = await exportDefinitions(log, names);
    const [streams, keys] = [before.streams(), before.keys.all()];
    await log.admin.remove(names.definitions);
    expect(await importDefinitions(log, names, { lines })).toBe(lines.length - 1);
    const after = await started();
    expect([after.streams(), after.keys.all()]).toEqual([streams, keys]);
    const [key] = keys;
    await after.keys.change(key!.key_id, (now) => now && { ...now, name: 'later' }, systemActor);
    expect(after.keys.get(key!.key_id)?.name).toBe('later');
    expect(await exportDefinitions(log, names)).not.toEqual(lines);
  });

  it('is the same before and after compaction of the topic', async () => {
    await someDefinitions();
    const lines = await exportDefinitions(log, names);
    log.topics.get(names.definitions)?.compact();
    expect(await exportDefinitions(log, names)).toEqual(lines);
  });

  it('leaves out records that no process can read, with a report, so that it can be imported', async () => {
    const before = await someDefinitions();
    const producer = await log.producer();
    const damaged = [
      { key: 'projection:broken:0:1', value: '{"revision":"x"}' },
      { key: 'no key of a definition', value: '{}' },
    ];
    await producer.append(damaged.map((record) => ({ topic: names.definitions, ...record })));
    const reported: string[] = [];
    const lines = await exportDefinitions(log, names, (key, reason) =>
      reported.push(`${key} ${reason !== ''}`),
    );
    expect(reported).toEqual(damaged.map(({ key }) => `${key} true`));
    const [streams, keys] = [before.streams(), before.keys.all()];
    await importDefinitions(log, names, { lines, replace: true });
    const after = await started();
    expect([after.streams(), after.keys.all(), after.unreadable]).toEqual([streams, keys, 0]);
  });

  it('is not imported over existing definitions', async () => {
    await someDefinitions();
    const lines = await exportDefinitions(log, names);
    await expect(importDefinitions(log, names, { lines })).rejects.toThrow(/already contains \d+ records/);
  });

  it('replaces existing definitions if that is wanted, however often', async () => {
    const before = await someDefinitions();
    const lines = await exportDefinitions(log, names);
    await before.createStream({ stream: 'later' }, systemActor);
    for (let round = 0; round < 2; round++)
      expect(await importDefinitions(log, names, { lines, replace: true })).toBe(lines.length - 1);
    expect(await exportDefinitions(log, names)).toEqual(lines);
  });

  it('that is rejected leaves the existing definitions, also if they were to be replaced', async () => {
    await someDefinitions();
    const lines = await exportDefinitions(log, names);
    const imported = importDefinitions(log, names, { lines: lines.slice(0, -1), replace: true });
    await expect(imported).rejects.toThrow(DefinitionsBackupError);
    expect(await exportDefinitions(log, names)).toEqual(lines);
  });

  it('without records does not replace existing definitions, and is not exported', async () => {
    await someDefinitions();
    const before = await exportDefinitions(log, names);
    const lines = ['{"tributary_definitions":1,"records":0}'];
    await expect(importDefinitions(log, names, { lines, replace: true })).rejects.toThrow(
      /^The file has 0 records: .* delete all definitions/,
    );
    expect(await exportDefinitions(log, names)).toEqual(before);
    await log.admin.remove(names.definitions);
    expect(await importDefinitions(log, names, { lines })).toBe(0);
    await expect(exportDefinitions(log, names)).rejects.toThrow(
      'has no records, so there is nothing to back up',
    );
  });

  it('of another format is rejected with the format', async () => {
    const lines = ['{"tributary_definitions":2,"records":0}'];
    await expect(importDefinitions(log, names, { lines })).rejects.toThrow('The file has format 2');
  });

  it('fails instead of waiting for a topic that does not exist', async () => {
    await expect(exportDefinitions(log, names)).rejects.toThrow(UnknownTopicError);
  });

  it('fails after a minute if the broker ends during the read', async () => {
    await someDefinitions();
    const close = vi.fn(async () => undefined);
    const reader = { start: () => new Promise<void>(() => undefined), close };
    vi.spyOn(log, 'tableReader').mockReturnValue(reader as never);
    vi.useFakeTimers();
    try {
      const exported = expect(exportDefinitions(log, names)).rejects.toThrow(LogUnavailableError);
      await vi.advanceTimersByTimeAsync(60_000);
      await exported;
    } finally {
      vi.useRealTimers();
    }
    expect(close).toHaveBeenCalledOnce();
  });

  it('is rejected if it is incomplete', async () => {
    await someDefinitions();
    const lines = await exportDefinitions(log, names);
    await log.admin.remove(names.definitions);
    const wrong: [string, string[]][] = [
      ['empty', []],
      ['cut off at a line', lines.slice(0, -1)],
      ['cut off within a line', [...lines.slice(0, -1), lines.at(-1)!.slice(0, 20)]],
      ['a line that is not an object', [...lines.slice(0, -1), 'null']],
      ['another file', ['{"events":[]}']],
      ['a record that is not a definition', [lines[0]!, ...lines.slice(2), '{"key":"k","value":"v"}']],
      ...['v', '{}', '{"revision":"x"}'].map((value): [string, string[]] => {
        const { key } = JSON.parse(lines[1]!) as { key: string };
        return [
          `a record with the value ${value}`,
          [lines[0]!, ...lines.slice(2), JSON.stringify({ key, value })],
        ];
      }),
    ];
    for (const [what, file] of wrong)
      await expect(importDefinitions(log, names, { lines: file }), what).rejects.toThrow(
        DefinitionsBackupError,
      );
    expect(await log.admin.partitions(names.definitions)).toBeUndefined();
  });
});
