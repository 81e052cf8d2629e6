import { describe, expect, it } from 'vitest';
import { retentionForm, retentionOf } from './retention-input.js';

describe('a retention as it is typed', () => {
  it.each([
    [{ time: '', bytes: ' ' }, 'unlimited'],
    [{ time: ' 30d', bytes: '' }, { time: '30d' }],
    [{ time: '', bytes: '1.5 GiB' }, { bytes: 1_610_612_736 }],
    [
      { time: '7d', bytes: '1000' },
      { time: '7d', bytes: 1000 },
    ],
  ])('%j', (form, retention) => {
    expect(retentionOf(form)).toEqual(retention);
  });

  it.each(['ten', '0', '-1', '10 GB', '1e3'])('rejects the size %s', (bytes) => {
    expect(() => retentionOf({ time: '', bytes })).toThrow('is not a size');
  });

  it.each(['unlimited' as const, { bytes: 1024 }, { time: '7d', bytes: 1025 }, { bytes: 3 * 1024 ** 3 }])(
    'is read again: %j',
    (retention) => {
      expect(retentionOf(retentionForm(retention))).toEqual(retention);
    },
  );
});
