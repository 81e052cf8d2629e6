import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#log/memory';
import { aKey } from '../contract/definition-examples.js';
import { systemActor } from '../resources/resource-store.js';
import { openDefinitions } from '../open-definitions.js';
import type { Definitions } from '../definitions.js';
import { DefinitionsImportError, exportDefinitions, importDefinitions } from './definitions-file.js';

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
  const definitions = openDefinitions({ log, names, defaults: { partitions: 2 } });
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
    expect(await importDefinitions(log, names, lines)).toBe(lines.length - 1);
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

  it('is not imported over existing definitions', async () => {
    await someDefinitions();
    const lines = await exportDefinitions(log, names);
    await expect(importDefinitions(log, names, lines)).rejects.toThrow(/already contains \d+ records/);
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
    ];
    for (const [what, file] of wrong)
      await expect(importDefinitions(log, names, file), what).rejects.toThrow(DefinitionsImportError);
    expect(await log.admin.partitions(names.definitions)).toBeUndefined();
  });
});
