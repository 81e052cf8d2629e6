import { describe, expect, it } from 'vitest';
import type { SchemaSubject } from '#registry';
import { CompiledSchemaCache } from './compiled-schema-cache.js';
import type { CurrentSchema } from './schema-index.js';

const fits = {
  validate: () => undefined,
  validateText: () => undefined,
  exceededLimits: false,
  steps: 0,
  searchWork: 0,
};

/** Returns a current schema that has not been compiled yet. */
function entryOf(event_type: string, schema: unknown = {}): CurrentSchema {
  const version = { version: 3, schema, created_at: '2026-11-21T04:00:00.000000Z' };
  const subject: SchemaSubject = {
    stream: 'orders',
    event_type,
    compatibility: 'none',
    mode: 'enforce',
    retired: false,
    versions: [version],
  };
  return { subject, version, ready: undefined };
}

describe('compiled schemas', () => {
  it('are compiled once, even if several requests need one at the same time', async () => {
    let made = 0;
    const compiled = new CompiledSchemaCache(() => (made++, fits));
    const entry = entryOf('a');
    await Promise.all([compiled.make(entry), compiled.make(entry)]);
    expect([made, entry.ready?.compiled]).toEqual([1, fits]);
  });

  it('are compiled one in each turn of the event loop', async () => {
    const order: string[] = [];
    const compiled = new CompiledSchemaCache((schema) => (order.push(String(schema)), fits));
    setImmediate(() => order.push('another request'));
    for (const name of ['a', 'b']) await compiled.make(entryOf(name, name));
    expect(order).toEqual(['another request', 'a', 'b']);
  });

  it('are cached up to a maximum number, above which the oldest is evicted', async () => {
    const compiled = new CompiledSchemaCache(() => fits, 2);
    const entries = ['a', 'b', 'c'].map((name) => entryOf(name));
    for (const entry of entries) await compiled.make(entry);
    expect(entries.map((entry) => entry.ready?.compiled)).toEqual([undefined, fits, fits]);
  });

  it('of one type count once in the cache, with any number of versions', async () => {
    const compiled = new CompiledSchemaCache(() => fits, 2);
    const entries = ['a', 'b', 'b', 'b'].map((name) => entryOf(name));
    for (const entry of entries) await compiled.make(entry);
    expect(entries[0]?.ready?.compiled).toBe(fits);
  });

  it('report the name of one that cannot be compiled, and cache nothing of it', async () => {
    const compiled = new CompiledSchemaCache(() => {
      throw new Error('why');
    });
    const entry = entryOf('order "placed"');
    await expect(compiled.make(entry)).rejects.toThrow(
      'version 3 of the schema of "order \\"placed\\"" in orders cannot be compiled',
    );
    expect(entry.ready).toBeUndefined();
  });
});
