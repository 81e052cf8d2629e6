import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Ledger, type LedgerLine } from './ledger.js';

const line = (event_id: string, more: Partial<LedgerLine>): LedgerLine => ({
  event_id,
  stream: 'orders',
  entity_id: 'e1',
  sequence: 1,
  hash: 'h',
  outcome: 'ok',
  ...more,
});

describe('Ledger', () => {
  it('writes a line to the disk before it is an entry', async () => {
    const ledger = Ledger.open();
    const recorded = ledger.record(line('a', { partition: 1, offset: 2 }));
    expect(ledger.entries()).toEqual([]);
    await recorded;
    expect(JSON.parse(readFileSync(ledger.path, 'utf8'))).toMatchObject({ event_id: 'a', offset: 2 });
    expect(ledger.entries()).toMatchObject([{ event_id: 'a', outcome: 'ok', attempts: 1 }]);
    await ledger.discard();
  });

  it('writes many lines at a time and keeps their order', async () => {
    const ledger = Ledger.open();
    const ids = Array.from({ length: 500 }, (_, i) => `id-${i}`);
    await Promise.all(ids.map((id) => ledger.record(line(id, {}))));
    const written = readFileSync(ledger.path, 'utf8').trim().split('\n');
    expect(written.map((text) => (JSON.parse(text) as LedgerLine).event_id)).toEqual(ids);
    await ledger.discard();
  });

  it('reads the lines of an earlier run', async () => {
    const first = Ledger.open();
    await first.record(line('a', { outcome: 'unknown' }));
    await first.close();
    const second = Ledger.open(first.path);
    await second.record(line('a', { outcome: 'ok', offset: 9 }));
    expect(second.entries()).toMatchObject([{ outcome: 'ok', offset: 9, attempts: 2 }]);
    await second.discard();
  });

  it('never revokes an acknowledgement', async () => {
    const ledger = Ledger.open();
    await ledger.record(line('a', { outcome: 'ok', offset: 3 }));
    await ledger.record(line('a', { outcome: 'unknown' }));
    expect(ledger.entries()).toMatchObject([{ outcome: 'ok', offset: 3, attempts: 2 }]);
    await ledger.discard();
  });

  it('ignores a refusal after an unknown outcome', async () => {
    const ledger = Ledger.open();
    await ledger.record(line('a', { outcome: 'unknown' }));
    await ledger.record(line('a', { outcome: 'failed' }));
    expect(ledger.count('unknown')).toBe(1);
    expect(ledger.count('failed')).toBe(0);
    await ledger.discard();
  });
});
