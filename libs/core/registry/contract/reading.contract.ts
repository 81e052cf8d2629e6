import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { definitionsHealth, DefinitionsOutdatedError } from '../definitions-health.js';
import type { Definitions } from '../definitions.js';
import { schemaName } from '../schemas/schema-kind.js';
import {
  aGeneration,
  ada,
  addVersion,
  aKey,
  aPipeline,
  aProjection,
  someTime,
  titles,
} from './definition-examples.js';
import { streamsOf, type DefinitionsTestProcesses } from './definitions-test-processes.js';

const by = { key_id: null, port: 'core', request_id: null };

function value(definition: unknown, more: object = {}): string {
  return JSON.stringify({ revision: 1, changed_at: someTime, changed_by: by, definition, ...more });
}

const stream = { stream: 's', partitions: 1, retention: 'unlimited', created_at: someTime, state: 'live' };
const schema = {
  ...{ stream: 's', event_type: 't', compatibility: 'none', mode: 'off', retired: false },
  ...{ version: 1, schema: true, created_at: someTime },
};
const erasure = {
  ...{ stream: 's', stream_created_at: someTime, entity_hash: 'ab'.repeat(32) },
  ...{ before: { 0: 1 }, erased_at: someTime },
};

/** Record keys (without their UUID) and values that every process must reject. */
const unreadable: [string, string][] = [
  ['stream:s:0', '{not json'],
  ['stream:s:0', '[]'],
  ['stream:s:0', 'null'],
  ['stream:s:0', value(stream, { revision: 0 })],
  ['stream:s:0', value(stream, { revision: '1' })],
  ['stream:s:0', value(stream, { changed_at: 'now' })],
  ['stream:s:0', value(stream, { changed_by: null })],
  ['stream:s:0', value(stream, { keeps: { 0: -1 } })],
  ['stream:s:0', value(undefined)],
  ['stream:s:0', value({ ...stream, partitions: 0 })],
  ['stream:s:0', value({ ...stream, retention: 'forever' })],
  ['stream:s:0', value({ ...stream, state: 'dead' })],
  ['stream:s:0', value({ ...stream, stream: 'other' })],
  ['stream:..%2F..%2Fetc:0', value({ ...stream, stream: '../../etc' })],
  ['stream:%zz:0', value(stream)],
  ['schema:s%2Ft:2', value(schema)],
  ['schema:s%2Ft:1', value({ ...schema, mode: 'strict' })],
  ['schema:s%2Fother:1', value(schema)],
  ['key:k:0', value({ ...aKey('k'), secrets: [{ sha256: 'AB' }] })],
  ['key:k:0', value({ ...aKey('k'), scopes: 'admin' })],
  ['key:k:0', value({ ...aKey('k'), expires_at: '2026-02-30T00:00:00Z' })],
  ['key:other:0', value(aKey('k'))],
  [`erasure:s%2F${'ab'.repeat(32)}:0`, value({ ...erasure, before: { 0: 'all' } })],
  [`erasure:s%2F${'cd'.repeat(32)}:0`, value(erasure)],
  ['projection:other:0', value(aProjection())],
  ['pipeline:big:0', value({ ...aPipeline(), spec: { ...aPipeline().spec, operators: [{ join: {} }] } })],
  ['projection:a.b:0', value({ ...aProjection(), name: 'a.b' })],
  ['projection:revenue:0', value(aProjection({ building: null }))],
  ['projection:revenue:0', value(aProjection({ version: 2 }))],
  ['projection:revenue:0', value({ ...aProjection(), failure: undefined })],
  ['projection:revenue:0', value(aProjection({ building: aGeneration('A') }))],
  ['projection:revenue:0', value(aProjection({ building: aGeneration('a', { sources: {} }) }))],
  ...[
    { streams: [] },
    { streams: ['orders', 'orders'] },
    { streams: ['orders', '../etc'] },
    { streams: Array.from({ length: 21 }, (_, n) => `s${n}`) },
    { streams: ['orders', 'refunds'], where: 1 },
  ].map((source): [string, string] => ['projection:revenue:0', value(withSpec({ source }))]),
  ['projection:revenue:0', value(withSpec({ from: 'yesterday' }))],
  ['projection:revenue:0', value(withSpec({ fields: { n: 'count' } }))],
  ['projection:revenue:0', value(withSpec({ fields: { n: { op: 'count', value: 1 } } }))],
  ['pipeline:other:0', value(aPipeline())],
  ['pipeline:big:0', value({ ...aPipeline(), failure: undefined })],
  ['pipeline:big:0', value({ ...aPipeline(), run: { ...aPipeline().run, id: 'a' } })],
  ['pipeline:big:0', value({ ...aPipeline(), run: { ...aPipeline().run, sources: {} } })],
  ...[{}, 'filter', null, { filter: 'true', emit: { stream: 's' } }].map((operator): [string, string] => [
    'pipeline:big:0',
    value({ ...aPipeline(), spec: { ...aPipeline().spec, operators: [operator] } }),
  ]),
];

function withSpec(more: object): unknown {
  const build = aGeneration('a');
  const sources = Object.fromEntries(
    ((more as { source?: { streams: string[] } }).source?.streams ?? build.spec.source.streams).map(
      (name) => [name, { created_at: someTime }],
    ),
  );
  return { ...aProjection(), building: { ...build, sources, spec: { ...build.spec, ...more } } };
}

/** The contract of reading the topic: arbitrary records, and readers that fail. */
export function describeReading(given: DefinitionsTestProcesses): void {
  describe('records of the definitions topic', () => {
    it('that cannot be read are counted and skipped', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      for (const [key, text] of unreadable) await given.announce(names, `${key}:${randomUUID()}`, text);
      for (const key of ['', 'nothing', 'stream:s', 'stream:s:0:7']) await given.announce(names, key, '{}');
      await given.announce(names, 'stream:s', null);
      await definitions.createStream({ stream: 'good' }, ada);
      expect(definitions.unreadable).toBe(unreadable.length + 5);
      expect(streamsOf(definitions).map((good) => good.stream)).toEqual(['good']);
      const { schemas, keys, erasures, projections, pipelines } = definitions;
      const kinds = [schemas, keys, erasures, projections, pipelines];
      expect(kinds.map(({ size }) => size)).toEqual(kinds.map(() => 0));
      const late = await given.started(names);
      expect(definitionsHealth(late)).toMatchObject({ streams: 2, unreadable: unreadable.length + 5 });
      expect(late.streams()).toEqual(definitions.streams());
    });

    it('of kinds that only a newer release knows are ignored', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      await given.announce(names, `dashboard:x:0:${randomUUID()}`, '{"any":1}');
      await definitions.keys.change('k1', () => aKey('k1'), ada);
      expect(definitions.unreadable).toBe(0);
    });

    it('do not block a change if they cannot be read and have its name', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      await given.announce(names, `key:k1:0:${randomUUID()}`, '{"revision":1');
      expect((await definitions.keys.change('k1', () => aKey('k1'), ada)).changed).toBe(true);
      expect((await given.started(names)).keys.get('k1')).toEqual(aKey('k1'));
    });

    it('that an operator removes by hand are removed in every process', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const subject = schemaName('orders', 'order.placed');
      for (const title of ['a', 'b']) await one.schemas.change(subject, addVersion(title), ada);
      await one.keys.change('k1', () => aKey('k1'), ada);
      const records = (await given.read(names.definitions)).filter(({ value: text }) => text !== null);
      const keyOf = (part: string): string =>
        String(records.find(({ key }) => String(key).startsWith(part))?.key);
      await given.announce(names, keyOf('key:k1'), null);
      await given.announce(names, keyOf('schema:orders%2Forder.placed:1'), null);
      await expect.poll(() => two.keys.size).toBe(0);
      await expect.poll(() => titles(two.schemas.get(subject))).toEqual(['b']);
      expect((await given.started(names)).schemas.all()).toEqual(two.schemas.all());
      expect((await one.keys.change('k1', () => aKey('k1', { name: 'again' }), ada)).changed).toBe(true);
      await expect.poll(() => two.keys.get('k1')?.name).toBe('again');
    });
  });

  describe('a reader that has failed', () => {
    /**
     * Lets the reader of the definitions fail at the next change. `failed` resolves right after that: the reader is replaced within half
     * a second, which a busy machine can miss when it looks from time to time.
     */
    const failNext = (definitions: Definitions, error: Error) => {
      let remove: () => void = () => undefined;
      const failed = new Promise<void>((resolve) => {
        remove = definitions.onChange(() => {
          setImmediate(resolve);
          throw error;
        });
      });
      return { failed, remove };
    };

    it('is reported and replaced; meanwhile the last view is served', async () => {
      const names = given.names();
      const [definitions, other] = await given.two(names);
      await other.keys.change('k1', () => aKey('k1'), ada);
      await expect.poll(() => definitions.keys.size).toBe(1);
      const broken = new Error('broken');
      const { failed, remove } = failNext(definitions, broken);
      const changing = other.keys.change('k2', () => aKey('k2'), ada);
      await failed;
      expect(definitions.failure).toBe(broken);
      expect(() => definitionsHealth(definitions)).toThrow(DefinitionsOutdatedError);
      expect(definitions.keys.get('k1')).toEqual(aKey('k1'));
      remove();
      await changing;
      await other.keys.change('k3', () => aKey('k3'), ada);
      await expect.poll(() => definitions.failure).toBeUndefined();
      expect(definitions.keys.size).toBe(3);
      await definitions.keys.change('k4', () => aKey('k4'), ada);
      expect(definitions.keys.size).toBe(4);
      await expect.poll(() => other.keys.size).toBe(4);
    });

    it('is replaced at once by a call of start', async () => {
      const [definitions, other] = await given.two();
      const { failed, remove } = failNext(definitions, new Error('broken'));
      const changing = other.keys.change('k1', () => aKey('k1'), ada);
      await failed;
      expect(definitions.failure).toBeDefined();
      remove();
      await definitions.start();
      expect(definitions.failure).toBeUndefined();
      expect(definitions.keys.size).toBe(1);
      await changing;
    });

    it('notifies listeners of changes made meanwhile', async () => {
      const [definitions, other] = await given.two();
      let told = 0;
      definitions.onChange(() => {
        told = definitions.keys.size;
        if (told === 1) throw new Error('broken once');
      });
      await other.keys.change('k1', () => aKey('k1'), ada);
      await other.keys.change('k2', () => aKey('k2'), ada);
      await expect.poll(() => told).toBe(2);
    });
  });
}
