import { describe, expect, it } from 'vitest';
import type { SchemaSubject } from '#registry';
import { SchemaIndex } from './schema-index.js';

function subjectOf(more: Partial<SchemaSubject> = {}): SchemaSubject {
  const version = (number: number) => ({ version: number, schema: {}, created_at: '2026-11-21T04:00:00Z' });
  return {
    stream: 'orders',
    event_type: 'placed',
    compatibility: 'none',
    mode: 'enforce',
    retired: false,
    versions: [version(1), version(2)],
    ...more,
  };
}

/** Returns an index over subjects, and a function that changes them. */
function givenIndex(...subjects: SchemaSubject[]) {
  const listeners = new Set<() => void>();
  const source = {
    schemas: { all: () => subjects },
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (...next: SchemaSubject[]): void => {
    subjects = next;
    for (const listener of listeners) listener();
  };
  return { index: new SchemaIndex(source), change };
}

describe('the index of schemas', () => {
  it('finds the latest version of a type in a stream', () => {
    const { index } = givenIndex(subjectOf());
    expect(index.find('orders', 'placed')?.version.version).toBe(2);
    expect(index.find('orders', 'paid')).toBeUndefined();
    expect(index.find('other', 'placed')).toBeUndefined();
  });

  it.each([{ mode: 'off' }, { retired: true }] as const)('ignores a subject with %j', (more) => {
    expect(givenIndex(subjectOf(more)).index.find('orders', 'placed')).toBeUndefined();
  });

  it('distinguishes names that are equal when joined', () => {
    const { index } = givenIndex(subjectOf({ stream: 'a', event_type: 'b/c' }));
    expect(index.find('a', 'b/c')).toBeDefined();
    expect(index.find('a/b', 'c')).toBeUndefined();
    expect(index.find('constructor', 'name')).toBeUndefined();
  });

  it('applies a change at the next look-up, and keeps the objects of unchanged schemas', () => {
    const [kept, changed] = [subjectOf({ event_type: 'kept' }), subjectOf()];
    const { index, change } = givenIndex(kept, changed);
    const before = { kept: index.find('orders', 'kept'), placed: index.find('orders', 'placed') };
    change(kept, subjectOf({ mode: 'warn' }), subjectOf({ stream: 'new' }));
    expect(index.find('orders', 'kept')).toBe(before.kept);
    expect(index.find('orders', 'placed')).not.toBe(before.placed);
    expect(index.find('orders', 'placed')?.subject.mode).toBe('warn');
    expect(index.find('new', 'placed')).toBeDefined();
    change();
    expect(index.find('orders', 'kept')).toBeUndefined();
  });
});
