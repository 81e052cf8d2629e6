import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { EventStore } from '@event-driven-io/emmett';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tributary } from '#client';
import { TributaryEventStore } from '../../examples/emmett/index.js';
import { freshStream } from '../api.js';
import { useSharedStack } from '../use-stack.js';

/**
 * Runs emmett's own features of event stores and specs of command handlers, from the folder of a clone of emmett. `npm
 * run check:emmett` clones it. The specs of emmett are no part of this repository, because emmett has no licence.
 */
const { TEST_EMMETT: clone = '' } = process.env;

const system = useSharedStack();
let store: TributaryEventStore;
beforeAll(() => {
  const { urls, key } = system();
  const client = new Tributary({ url: urls.query, apiKey: key, ingestUrl: urls.ingest });
  store = new TributaryEventStore(client, { stream: freshStream('emmett'), visibleMs: 100 });
});

/** The event store that the specs get; it exists before the system. */
const lazyStore: EventStore = {
  readStream: (...args) => store.readStream(...args),
  aggregateStream: (...args) => store.aggregateStream(...args) as never,
  appendToStream: (...args) => store.appendToStream(...args),
  streamExists: (name) => store.streamExists(name),
};

const features = 'src/packages/emmett-tests/src/eventStore/features.ts';
const commandHandlers = 'src/packages/emmett/src/commandHandling';
const specs = ['handleCommand.unit.spec.ts', 'handleCommand.middleware.unit.spec.ts'];
const folder = clone && mkdtempSync(join(made(resolve('dist')), 'emmett-'));
afterAll(() => void (folder && rmSync(folder, { recursive: true })));

function made(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** The modules that replace those of Node's test runner and of emmett's source: Vitest, the package and this store. */
const replacements: Record<string, string> = {
  'node:test': `
    export { describe, it, beforeAll as before, afterAll as after, beforeEach, afterEach } from 'vitest';`,
  emmett: `
    export * from '@event-driven-io/emmett';
    export const getInMemoryEventStore = () => globalThis.emmettStore;`,
};

const replacing: Plugin = {
  name: 'replacing',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:test$/ }, () => ({ path: 'node:test', namespace: 'replaced' }));
    const source = /^(\.\.\/(eventStore|testing|typing|errors)|\.\/handleCommand)$/;
    bundler.onResolve({ filter: source }, () => ({ path: 'emmett', namespace: 'replaced' }));
    bundler.onLoad({ filter: /.*/, namespace: 'replaced' }, ({ path }) => ({
      ...{ contents: replacements[path]!, resolveDir: resolve('.') },
    }));
  },
};

/** Compiles a module of the clone and imports it. */
async function imported(path: string): Promise<unknown> {
  const outfile = join(folder, `${basename(path, '.ts')}.mjs`);
  const options = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  const external = ['@event-driven-io/emmett', 'uuid', 'vitest'];
  await build({
    ...{ entryPoints: [join(clone, path)], outfile, external, plugins: [replacing] },
    ...options,
  });
  return import(pathToFileURL(outfile).href);
}

type Feature = (factory: () => Promise<EventStore>) => void | Promise<void>;

if (clone) {
  Object.assign(globalThis, { emmettStore: lazyStore });
  const { testAggregateStream, testCommandHandling, testStreamExists } = (await imported(features)) as Record<
    string,
    Feature
  >;
  describe("emmett's features of event stores", async () => {
    for (const feature of [testAggregateStream!, testCommandHandling!, testStreamExists!])
      await feature(async () => lazyStore);
  });
  describe("emmett's specs of command handlers", async () => {
    for (const spec of specs) await imported(join(commandHandlers, spec));
  });
}

describe("emmett's own specs", () => {
  it.skipIf(!clone)('are those of a clone of emmett', () => {
    expect(existsSync(join(clone, features))).toBe(true);
  });
});
