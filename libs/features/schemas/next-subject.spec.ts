import { describe, expect, it } from 'vitest';
import type { SchemaSubject } from '#registry';
import { nextSubject as next } from './next-subject.js';
import type { SchemaInput } from './schema-input.js';
import type { ComparisonStrictness } from '#json-schema';
import { SchemaSettings } from './schema-settings.js';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';

const now = '2026-11-21T04:00:00.000000Z';
const later = '2026-11-22T04:00:00.000000Z';
const amount = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
const stricter = { ...amount, required: ['amount', 'customer'] };
const wanted = (more: Partial<SchemaInput> = {}): SchemaInput => ({
  stream: 'orders',
  event_type: 'order.placed',
  schema: amount,
  ...more,
});
const checksWith = (policy: ComparisonStrictness) =>
  new SchemaCompatibilityChecker(
    Object.assign(new SchemaSettings(), { SCHEMA_COMPATIBILITY_POLICY: policy }),
  );
const [lenient, strict] = [checksWith('lenient'), checksWith('strict')];
const nextSubject = (...[current, schema, at]: [SchemaSubject | undefined, SchemaInput, string]) =>
  next(current, schema, { now: at, checks: lenient });
const first: SchemaSubject = await nextSubject(undefined, wanted(), now);

describe('the subject after a registration', () => {
  it('has version 1 if it is new, enforced and backward compatible', async () => {
    expect(first).toEqual({
      stream: 'orders',
      event_type: 'order.placed',
      compatibility: 'backward',
      mode: 'enforce',
      retired: false,
      versions: [{ version: 1, schema: amount, created_at: now }],
    });
  });

  it('is the same object when nothing changes, in any order of members', async () => {
    const schema = { properties: { amount: { type: 'number' } }, required: ['amount'], type: 'object' };
    expect(await nextSubject(first, wanted({ schema }), later)).toBe(first);
    expect(await nextSubject(first, wanted({ mode: 'enforce', compatibility: 'backward' }), later)).toBe(
      first,
    );
  });

  it('has another mode or compatibility without a new version', async () => {
    const changed = await nextSubject(first, wanted({ mode: 'off', compatibility: 'full' }), later);
    expect(changed).toEqual({ ...first, mode: 'off', compatibility: 'full' });
  });

  it('has a new version for a different schema, and keeps other settings', async () => {
    const current = { ...first, mode: 'warn' as const };
    const next = await nextSubject(current, wanted({ schema: { ...amount, title: 'Placed' } }), later);
    expect(next).toMatchObject({ mode: 'warn', compatibility: 'backward' });
    expect(next.versions.map(({ version, created_at }) => [version, created_at])).toEqual([
      [1, now],
      [2, later],
    ]);
  });

  it('is refused if earlier versions are incompatible, with each reason and its pointer into the body', async () => {
    await expect(nextSubject(first, wanted({ schema: stricter }), later)).rejects.toThrow(
      expect.objectContaining({
        code: 'schema_incompatible',
        options: {
          errors: [
            {
              pointer: expect.stringMatching(/^\/schema\//) as string,
              detail: expect.stringContaining('version 1') as string,
            },
          ],
        },
      }) as Error,
    );
    const anything = wanted({ schema: stricter, compatibility: 'none' });
    expect((await nextSubject(first, anything, later)).versions).toHaveLength(2);
  });

  it('may have a new optional member, unless the policy must allow for undescribed members', async () => {
    const schema = { ...amount, properties: { ...amount.properties, note: { type: 'string' } } };
    expect((await nextSubject(first, wanted({ schema }), later)).versions).toHaveLength(2);
    await expect(next(first, wanted({ schema }), { now: later, checks: strict })).rejects.toThrow(
      expect.objectContaining({ code: 'schema_incompatible' }) as Error,
    );
  });

  it('is active again after it was retired, and continues its versions', async () => {
    const retired = { ...first, retired: true };
    expect(await nextSubject(retired, wanted(), later)).toEqual(first);
    await expect(nextSubject(retired, wanted({ schema: stricter }), later)).rejects.toThrow();
    const schema = { ...amount, title: 'Placed' };
    expect(await nextSubject(retired, wanted({ schema }), later)).toMatchObject({
      retired: false,
      versions: [{ version: 1 }, { version: 2 }],
    });
  });
});
