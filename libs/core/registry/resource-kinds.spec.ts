import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryLog } from '#kafka/memory';
import { exportDefinitions, importDefinitions } from '#features/backup';
import { ada, aKey } from './contract/definition-examples.js';
import { DefinitionsTestProcesses } from './contract/definitions-test-processes.js';
import { resourceKinds } from './resource-kinds.js';
import { definitionsHealth } from './definitions-health.js';
import { keyKind } from './keys/key-kind.js';
import { openDefinitions } from './definitions.js';
import { sampleKind, type SampleDefinition } from './sample-kind.fixture.js';

const given = new DefinitionsTestProcesses({ open: () => new MemoryLog(), cleanedSoon: {} });
beforeAll(() => given.open());
afterAll(() => given.close());

const kinds = [...resourceKinds, projectionKind, pipelineKind, subscriptionKind, sampleKind];
const sample = (name: string, color = 'red'): SampleDefinition => ({
  ...{ name, color, secret: 's3cret', failure: null },
});

describe('a kind of definition that is added to the list of kinds', () => {
  it('has a store, which a second process reads too', async () => {
    const names = given.names();
    const [one, two] = [await given.started(names, { kinds }), await given.started(names, { kinds })];
    const { changed } = await one.samples.change('a', () => sample('a'), ada);
    expect(changed).toBe(true);
    await expect.poll(() => two.samples.get('a')).toEqual(sample('a'));
    await two.samples.change('a', () => undefined, ada);
    await expect.poll(() => one.samples.size).toBe(0);
  });

  it('is changed with compare-and-set: concurrent changes see the result of each other', async () => {
    const names = given.names();
    const [one, two] = [await given.started(names, { kinds }), await given.started(names, { kinds })];
    const append = (letter: string) => (current: SampleDefinition | undefined) =>
      sample('a', `${current?.color ?? ''}${letter}`);
    await Promise.all(
      [one, two, one, two].map(({ samples }, n) => samples.change('a', append(String(n)), ada)),
    );
    await expect.poll(() => [...(two.samples.get('a')?.color ?? '')].sort().join('')).toBe('0123');
  });

  it('is audited without its secrets, and has a limit of its own', async () => {
    const names = given.names();
    const definitions = await given.started(names, { kinds });
    await definitions.samples.change('a', () => sample('a'), ada);
    await definitions.samples.change('a', (current) => current && { ...current, color: 'blue' }, ada);
    const events = (await given.audited(names)).filter(({ entity_id }) => entity_id === 'sample:a');
    expect(events.map(({ event_type }) => event_type)).toEqual(['sample.created', 'sample.changed']);
    expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({
      before: { name: 'a', color: 'red' },
      after: { name: 'a', color: 'blue' },
    });
    expect(events.map(({ data }) => data).join('')).not.toContain('s3cret');
    await definitions.samples.change('b', () => sample('b'), ada);
    await expect(definitions.samples.change('c', () => sample('c'), ada)).rejects.toMatchObject({
      message: 'The limit of 2 samples is reached.',
    });
  });

  it('is counted in the health of the definitions', async () => {
    const names = given.names();
    const definitions = await given.started(names, { kinds });
    await definitions.samples.change('a', () => ({ ...sample('a'), failure: 'broken' }), ada);
    await given.announce(names, `sample:b:0:${randomUUID()}`, '{}');
    await expect.poll(() => definitions.unreadable).toBe(1);
    expect(definitionsHealth(definitions)).toMatchObject({
      ...{ status: 'degraded', unreadable: 1 },
      ...{ failed_projections: 0, failed_pipelines: 0, failed_samples: 1 },
    });
  });

  it('is ignored by a process without the kind, which keeps its records in backups', async () => {
    const [names, restored] = [given.names(), given.names()];
    const knowing = await given.started(names, { kinds });
    await knowing.samples.change('a', () => sample('a'), ada);
    const other = await given.started(names);
    await other.keys.change('k1', () => aKey('k1'), ada);
    expect({ ...other }).not.toHaveProperty('samples');
    expect(other.unreadable).toBe(0);
    const lines = await exportDefinitions(given.log, names);
    await importDefinitions(given.log, restored, { lines });
    expect((await given.started(restored, { kinds })).samples.all()).toEqual([sample('a')]);
  });
});

describe('two kinds of definitions', () => {
  const open = (more: object) => () =>
    openDefinitions({
      ...{ log: given.log, names: given.names(), defaults: { partitions: 1 } },
      kinds: [keyKind, { ...sampleKind, ...more }],
    });

  it('with the same name or the same store are an error', () => {
    expect(open({ kind: 'key' })).toThrow('Two kinds of definitions have the same kind: key.');
    expect(open({ kind: 'stream' })).toThrow('Two kinds of definitions have the same kind: stream.');
    expect(open({ store: 'keys' })).toThrow('Two kinds of definitions have the same store: keys.');
    expect(open({ store: 'erasures' })).toThrow('Two kinds of definitions have the same store: erasures.');
  });

  it('are an error if one has a name that no key of a record can contain', () => {
    for (const kind of ['', 'saved-query', 'Sample', 'a:b', 'a'.repeat(33)])
      expect(open({ kind }), kind).toThrow(`The kind ${kind} is not 1 to 32 small letters and underscores.`);
  });

  it('are an error if the store of one has the name of another member of the definitions', () => {
    for (const store of ['streams', 'close', 'toString', 'writer', 'follower', 'options'])
      expect(open({ store }), store).toThrow(`The store of the kind sample cannot be named ${store}.`);
  });
});
