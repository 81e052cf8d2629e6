import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#testkit';
import type { Definitions } from '../definitions.js';
import { erasureName } from '../erasures/erasure-kind.js';
import { schemaName } from '../schemas/schema-kind.js';
import { ada, addVersion, aKey, anErasure, sha256, titles } from './definition-examples.js';
import type { DefinitionsTestProcesses } from './definitions-test-processes.js';

const subject = schemaName('orders', 'order.placed');

/** The contract of changes of schemas, keys and erasures. */
export function describeChanges(given: DefinitionsTestProcesses): void {
  describe('a change', () => {
    it('is visible at once in its own process, within a second in others, and in those that start later', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const erasure = anErasure('person-17');
      const name = erasureName(erasure);
      await one.erasures.change(name, () => erasure, ada);
      const delays: number[] = [];
      for (let round = 0; round < 5; round++) {
        const key = aKey('k1', { name: `round ${round}` });
        const { value, changed } = await one.keys.change('k1', () => key, ada);
        const resolved = performance.now();
        expect({ value, changed }).toEqual({ value: key, changed: true });
        expect(one.keys.get('k1')).toEqual(key);
        await expect.poll(() => two.keys.get('k1')?.name, { interval: 1 }).toBe(key.name);
        delays.push(performance.now() - resolved);
      }
      // Compares the median, so that a busy machine does not fail the test.
      expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(1_000);
      const late = await given.started(names);
      expect(late.keys.all()).toEqual(one.keys.all());
      expect(late.keys.size).toBe(1);
      expect(late.erasures.get(name)).toEqual(erasure);
    });

    it('to the current definition writes nothing', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      await definitions.keys.change('k1', () => aKey('k1'), ada);
      await settled(given, names.definitions);
      const before = await given.log.admin.offsets(names.definitions);
      const { value, changed } = await definitions.keys.change('k1', (current) => current, ada);
      expect({ value, changed }).toEqual({ value: aKey('k1'), changed: false });
      const none = await definitions.keys.change('k2', () => undefined, ada);
      expect(none).toEqual({ value: undefined, changed: false });
      expect(await given.log.admin.offsets(names.definitions)).toEqual(before);
    });

    it('writes nothing if its function throws', async () => {
      const definitions = await given.started(given.names());
      const refusal = new Error('not compatible');
      const change = definitions.schemas.change(
        subject,
        () => {
          throw refusal;
        },
        ada,
      );
      await expect(change).rejects.toBe(refusal);
      expect(definitions.schemas.size).toBe(0);
    });

    it('that no process could read is not written', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const broken = aKey('k1', { secrets: [{ sha256: 'not a hash' }] });
      await expect(definitions.keys.change('k1', () => broken, ada)).rejects.toThrow();
      await expect(definitions.keys.change('other', () => aKey('k1'), ada)).rejects.toThrow();
      expect(await given.read(names.definitions)).toEqual([]);
    });

    it('of more than 1 MiB is rejected', async () => {
      const definitions = await given.started(given.names());
      const change = definitions.schemas.change(subject, addVersion('x'.repeat(1024 * 1024)), ada);
      await expect(change).rejects.toMatchObject({ code: 'payload_too_large' });
      await definitions.schemas.change(subject, addVersion('x'.repeat(1000 * 1024)), ada);
      expect(definitions.schemas.size).toBe(1);
    });

    it('removes a definition in every process, and its name can be used again', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      for (let round = 0; round < 3; round++) {
        await one.keys.change('k1', () => aKey('k1', { name: `round ${round}` }), ada);
        const { value, changed } = await one.keys.change('k1', () => undefined, ada);
        expect({ value, changed }).toEqual({ value: undefined, changed: true });
        expect([one.keys.get('k1'), one.keys.size]).toEqual([undefined, 0]);
      }
      await one.keys.change('k1', () => aKey('k1', { name: 'last' }), ada);
      await expect.poll(() => two.keys.get('k1')?.name).toBe('last');
      expect((await given.started(names)).keys.all()).toEqual(one.keys.all());
    });

    it('is rejected at the limit of definitions, until one is removed', async () => {
      const definitions = await given.started(given.names(), { most: { key: 2 } });
      await definitions.keys.change('k1', () => aKey('k1'), ada);
      await definitions.keys.change('k2', () => aKey('k2'), ada);
      const third = () => definitions.keys.change('k3', () => aKey('k3'), ada);
      await expect(third()).rejects.toMatchObject({ code: 'definition_limit_reached' });
      await definitions.keys.change('k2', () => aKey('k2', { name: 'still possible' }), ada);
      await definitions.keys.change('k1', () => undefined, ada);
      expect((await third()).changed).toBe(true);
    });
  });

  describe('definitions at the limit of bytes', () => {
    it('can be changed and removed, but neither created nor extended by a version', async () => {
      const definitions = await given.started(given.names(), { mostBytes: 5_000 });
      const { schemas, keys } = definitions;
      await keys.change('k1', () => aKey('k1', { name: 'x'.repeat(5_000) }), ada);
      await schemas.change(subject, addVersion('y'.repeat(5_000)), ada);
      const full = { code: 'definition_limit_reached' };
      await expect(keys.change('k2', () => aKey('k2'), ada)).rejects.toMatchObject(full);
      await expect(schemas.change(subject, addVersion('z'), ada)).rejects.toMatchObject(full);
      await schemas.change(subject, (current) => current && { ...current, retired: true }, ada);
      await keys.change('k1', (key) => key && { ...key, name: 'short' }, ada);
      await expect
        .poll(() =>
          keys
            .change('k2', () => aKey('k2'), ada)
            .then(
              ({ changed }) => changed,
              () => false,
            ),
        )
        .toBe(true);
    });
  });

  describe('two processes that change the same definition at the same time', () => {
    it.each([1, 2, 3])('lose no acknowledged change, and agree (seed %i)', async (seed) => {
      const names = given.names();
      const both = await given.two(names);
      const random = new SeededRandom(seed);
      const acknowledged: string[] = [];
      for (let round = 0; round < 15; round++) {
        const works = both.flatMap((definitions) =>
          Array.from({ length: 1 + random.int(3) }, () => work(definitions, random, acknowledged)),
        );
        await Promise.all(works);
      }
      const late = await given.started(names);
      const [one, two] = both;
      await expect.poll(() => two.schemas.get(subject)).toEqual(one.schemas.get(subject));
      expect(late.schemas.get(subject)).toEqual(one.schemas.get(subject));
      expect(titles(one.schemas.get(subject)).sort()).toEqual(acknowledged.sort());
      const versions = one.schemas.get(subject)?.versions.map(({ version }) => version);
      expect(versions).toEqual(acknowledged.map((_, index) => index + 1));
      expect(late.unreadable).toBe(0);
    });

    it('leave no records that are not current', async () => {
      const names = given.names();
      const both = await given.two(names);
      const rename = (definitions: Definitions, name: string) =>
        definitions.keys.change('k1', (current) => ({ ...(current ?? aKey('k1')), name }), ada);
      for (let round = 0; round < 10; round++)
        await Promise.all(both.map((definitions, i) => rename(definitions, `${round}/${i}`)));
      await settled(given, names.definitions);
      const standing = new Map<string, boolean>();
      for (const { key, value } of await given.read(names.definitions))
        standing.set(String(key), value !== null);
      const ofKeys = [...standing].filter(([key, stands]) => stands && key.startsWith('key:'));
      expect(ofKeys).toHaveLength(1);
      expect(await given.read(names.definitions)).not.toHaveLength(standing.size);
    });
  });

  describe('keys', () => {
    it('are stored with all their members', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const key = aKey('k1', {
        secrets: [
          { sha256: sha256('new') },
          { sha256: sha256('old'), expires_at: '2026-12-01T00:00:00.000000Z' },
        ],
        streams: ['orders', 'shop.*'],
        expires_at: '2027-01-01T00:00:00.000000Z',
        rate_limit: { events_per_second: 0.5, requests_per_second: 100 },
        rotated_at: '2026-11-22T00:00:00.000000Z',
        revoked_at: '2026-11-23T00:00:00.000000Z',
      });
      await definitions.keys.change('k1', () => key, ada);
      expect((await given.started(names)).keys.get('k1')).toEqual(key);
    });
  });
}

/** Returns the subject with another version or another mode. */
function work(definitions: Definitions, random: SeededRandom, acknowledged: string[]): Promise<unknown> {
  const mode = random.pick(['enforce', 'warn', 'off'] as const);
  if (random.chance(0.3)) {
    return definitions.schemas.change(subject, (current) => (current ? { ...current, mode } : current), ada);
  }
  const title = random.uuid();
  return definitions.schemas.change(subject, addVersion(title), ada).then(({ value }) => {
    expect(titles(value)).toContain(title);
    acknowledged.push(title);
  });
}

/** Resolves when the topic no longer grows: tombstones are written in the background. */
async function settled(given: DefinitionsTestProcesses, topic: string): Promise<void> {
  let before = '';
  await expect
    .poll(
      async () => {
        const now = JSON.stringify(await given.log.admin.offsets(topic));
        const same = now === before;
        before = now;
        return same;
      },
      { interval: 200 },
    )
    .toBe(true);
}
