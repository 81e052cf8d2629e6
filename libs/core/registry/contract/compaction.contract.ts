import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TopicAndGroupNames } from '#event';
import {
  keyText,
  newKey,
  writeRecord,
  type DefinitionChangeRecord,
} from '../resources/definition-change-record.js';
import { schemaKind } from '../schemas/schema-kind.js';
import { schemaName, type SchemaEnforcementMode } from '../schemas/schema-kind.js';
import { ada, addVersion, aKey, someTime, titles } from './definition-examples.js';
import type { DefinitionsTestProcesses } from './definitions-test-processes.js';

const name = schemaName('orders', 'order.placed');

/** Returns a record as a process writes it, with these versions and settings of the subject. */
function record(
  revision: number,
  versions: string[],
  more: { mode?: SchemaEnforcementMode; keeps?: Record<string, number> },
): DefinitionChangeRecord {
  const subject = versions.reduce(
    (built, title) => addVersion(title)(built),
    undefined as never as ReturnType<ReturnType<typeof addVersion>>,
  );
  const written = schemaKind.write({ ...subject, mode: more.mode ?? 'enforce' });
  const envelope = { revision, changed_at: someTime, changed_by: ada, keeps: more.keeps ?? {} };
  return { ...newKey('schema', name, written), ...envelope, body: written.body };
}

/** The contract of the definitions after compaction of the topic. */
export function describeCompaction(given: DefinitionsTestProcesses): void {
  const append = async (names: TopicAndGroupNames, ...records: DefinitionChangeRecord[]): Promise<void> => {
    for (const written of records) await given.producer.append([writeRecord(names.definitions, written)]);
  };
  const keysIn = async (names: TopicAndGroupNames): Promise<string[]> =>
    (await given.read(names.definitions)).map(({ key }) => String(key));

  /** Resolves when the topic has no values of these keys. */
  const cleaned = async (names: TopicAndGroupNames, gone: string[]): Promise<void> => {
    const left = async (): Promise<string[]> => {
      // The active segment is not compacted: each of these records starts a new one.
      await given.announce(names, `filler:x:0:${randomUUID()}`, null);
      given.options.compact?.(given.log, names.definitions);
      const records = await given.read(names.definitions);
      return records
        .filter(({ value }) => value !== null)
        .map(({ key }) => String(key))
        .filter((key) => gone.includes(key));
    };
    await expect.poll(left, { interval: 500, timeout: 100_000 }).toEqual([]);
  };
  const cleanedSoon = async (): Promise<TopicAndGroupNames> => {
    const names = given.names();
    const config = { 'cleanup.policy': 'compact', ...given.options.cleanedSoon };
    await given.log.admin.create(names.definitions, { partitions: 1, config });
    return names;
  };

  describe('compaction', () => {
    it('never makes a losing record current, whatever records crashed processes have left', async () => {
      const names = await cleanedSoon();
      const before = await given.started(names);
      // `first` wins, is superseded and removed. The losing record remains, because its process has crashed.
      const first = record(1, ['v1'], {});
      const second = record(2, ['v1'], { mode: 'warn' });
      const lostVersion = record(2, ['v1', 'lost'], { keeps: { 1: 1 } });
      const third = record(3, ['v1', 'v2'], { keeps: { 1: 2 } });
      const lostMode = record(3, ['v1'], { mode: 'off' });
      const fourth = record(4, ['v1', 'v2'], { mode: 'warn', keeps: { 1: 2 } });
      await append(names, first, second, lostVersion, third, lostMode, fourth);
      for (const superseded of [first, third]) await given.announce(names, keyText(superseded), null);
      await expect.poll(() => before.schemas.get(name)?.mode).toBe('warn');
      expect(titles(before.schemas.get(name))).toEqual(['v1', 'v2']);
      await cleaned(names, [keyText(first), keyText(third)]);
      expect(await keysIn(names)).toEqual(expect.arrayContaining([lostVersion, lostMode].map(keyText)));
      const after = await given.started(names);
      expect(after.schemas.get(name)).toEqual(before.schemas.get(name));
      // The next change removes the remaining records.
      await after.schemas.change(name, addVersion('v3'), ada);
      await expect.poll(() => before.schemas.get(name)).toEqual(after.schemas.get(name));
      await cleaned(names, [lostVersion, lostMode].map(keyText));
      expect(titles((await given.started(names)).schemas.get(name))).toEqual(['v1', 'v2', 'v3']);
    });

    it('keeps current records and removes all others, including removals', async () => {
      const names = await cleanedSoon();
      const definitions = await given.started(names);
      for (const title of ['a', 'b', 'c']) await definitions.schemas.change(name, addVersion(title), ada);
      await definitions.schemas.change(name, (current) => current && { ...current, retired: true }, ada);
      for (const key of ['gone', 'kept']) {
        for (const text of ['1', '2', '3'])
          await definitions.keys.change(key, () => aKey(key, { name: text }), ada);
      }
      await definitions.keys.change('gone', () => undefined, ada);
      const records = await given.read(names.definitions);
      const written = records.filter(({ value }) => value !== null).map(({ key }) => String(key));
      const last = new Map(written.map((key) => [key.slice(0, key.lastIndexOf(':')), key]));
      last.delete('key:gone:0');
      const superseded = written.filter((key) => ![...last.values()].includes(key));
      // The seven records that compaction may remove: the record of the schema version before its retirement, two of the key `kept`, three of the key `gone`, and
      // the first record of the audit stream.
      expect(superseded).toHaveLength(7);
      await cleaned(names, superseded);
      const after = await given.started(names);
      expect(after.schemas.all()).toEqual(definitions.schemas.all());
      expect(titles(after.schemas.get(name))).toEqual(['a', 'b', 'c']);
      expect(after.keys.all()).toEqual([aKey('kept', { name: '3' })]);
      expect((await after.keys.change('gone', () => aKey('gone'), ada)).changed).toBe(true);
      await expect.poll(() => definitions.keys.get('gone')).toEqual(aKey('gone'));
    });
  });
}
