import { expect, it } from 'vitest';
import type { ProjectionDefinition } from '#features/projections/definition';
import { maxStateKeys } from '#store';
import { MemoryStore } from '#store/memory';
import type { LoadedProjectionStates } from './load-lookups.js';
import { SideInputLoader } from './side-input-loader.js';

const serving = { id: 'b'.repeat(24), spec: { fields: { n: { op: 'count' } } } };
const projections = { get: () => ({ serving }) as unknown as ProjectionDefinition };

type Definitions = ConstructorParameters<typeof SideInputLoader>[0]['definitions'];
const definitions = { projections } as unknown as Definitions;
const reject = () => Promise.reject(new Error('no lookup is as of a time'));
const histories = { load: reject, wait: reject };
const { signal } = new AbortController();
const lookup = (key: string) => ({ projection: 'p', key });

it('loads as many keys as a batch of events can have', async () => {
  const tables = new SideInputLoader({
    ...{ definitions, histories, store: new MemoryStore().projections, now: () => 0 },
  });
  const found: LoadedProjectionStates = new Map();
  const lookups = Array.from({ length: 2 * maxStateKeys + 1 }, (_, i) => lookup(`k-${i}`));

  await tables.load(lookups, found, signal);

  expect(found.size).toBe(lookups.length);
});

it('caches loaded states for a short time, up to 16 million characters', async () => {
  const spec = { fields: { note: { op: 'first', value: 'event.data.note' } } };
  const longest = { projections: { get: () => ({ serving: { ...serving, spec } }) } };
  const asked: string[] = [];
  const state = JSON.stringify([[JSON.stringify('x'.repeat(60_000)), [0, 0, 0, 'orders']]]);
  const tables = new SideInputLoader({
    ...{ definitions: longest as unknown as Definitions, histories, now: () => 0 },
    store: {
      find: (_build, keys) => {
        asked.push(...keys);
        return Promise.resolve(keys.map((key) => ({ key, parts: [{ state }] }) as never));
      },
    },
  });
  const keys = Array.from({ length: 400 }, (_, i) => `k-${i}`);
  const found: LoadedProjectionStates = new Map();
  await tables.load(keys.map(lookup), found, signal);
  expect(found.get('p k-0')).toHaveProperty('length', 60_011);
  asked.length = 0;

  await tables.load(['k-399', 'k-398'].map(lookup), new Map(), signal);
  expect(asked).toEqual([]);
  await tables.load(['k-0', 'k-100'].map(lookup), new Map(), signal);
  expect(asked).toEqual(['k-0', 'k-100']);
});
