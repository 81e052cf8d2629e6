import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUuidText } from '#event';
import { LeaderEpochs } from '#kafka/memory';
import { IdWindow } from './id-window.js';
import type { IdWindowReader } from './id-window-reader.js';
import { IdWindowLostError } from './shared-id-window.js';
import { SharedIdWindows } from './shared-id-windows.js';

const words = (n: number): Uint32Array => {
  const id = new Uint32Array(4);
  readUuidText(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`, id);
  return id;
};
const bounds = { records: 20, milliseconds: 1_000_000 };
const limits = { kept: 32, most: 256 };

interface TestRecord {
  id: number;
  epoch: number;
}
/** A log: the record at index n has offset n. */
class Log {
  constructor(
    public records: TestRecord[] = [],
    public beginning = 0,
  ) {}
  get end() {
    return this.records.length;
  }
  decided(offset: number): boolean {
    const window = new IdWindow(bounds);
    let d = false;
    for (let o = Math.max(0, offset - 2 * bounds.records); o <= offset; o++)
      d = window.repeatsWords(words(this.records[o]!.id), o, 0);
    return d;
  }
}
/** Where the log has lost records before a position (KIP-320). */
function lostFrom(
  log: Log,
  { offset, leaderEpoch }: { offset: number; leaderEpoch: number },
): number | undefined {
  if (leaderEpoch < 0) return undefined;
  let end = log.records.findIndex(({ epoch }) => epoch > leaderEpoch);
  if (end < 0) end = log.end;
  return end < offset ? end : undefined;
}

class Reader {
  window!: IdWindowReader;
  epochs!: LeaderEpochs;
  fetched: (TestRecord & { offset: number })[] = [];
  next = 0;
  fetchNext = 0;
  position = 0;
  exactFrom = 0;
  own: { offset: number; leaderEpoch: number } | undefined;
  conflicts = 0;
  isOpen = false;
  constructor(
    readonly log: () => Log,
    readonly windows: SharedIdWindows,
    public committed: { offset: number; leaderEpoch: number },
  ) {}
  open() {
    const log = this.log();
    const lost = [this.committed, ...(this.own ? [this.own] : [])]
      .map((p) => lostFrom(log, p))
      .filter((x) => x !== undefined);
    const c = Math.min(this.committed.offset, ...lost);
    const position = c >= log.beginning && c <= log.end ? c : log.beginning;
    this.position = position;
    const epochs = () => this.epochs;
    this.window = this.windows.open({
      topic: 't',
      partition: 0,
      beginning: log.beginning,
      position,
      warmUpStart: Math.max(log.beginning, position - bounds.records),
      epochBefore: (o) => epochs().before(o),
    });
    this.exactFrom = log.beginning === 0 ? position : Math.max(position, log.beginning + bounds.records);
    const from = this.window.start;
    const own =
      this.own &&
      this.own.leaderEpoch >= this.committed.leaderEpoch &&
      this.own.offset > this.committed.offset
        ? this.own
        : this.committed;
    this.epochs = new LeaderEpochs(lost.length > 0 ? { offset: from, leaderEpoch: -1 } : own);
    this.fetched = [];
    this.next = this.fetchNext = from;
    this.isOpen = true;
  }
  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { last } = this.epochs;
    if (last.leaderEpoch >= 0) this.own = last;
    this.window.close();
  }
  reopen() {
    this.close();
    this.open();
  }
  fetch(count: number) {
    const log = this.log();
    if (this.fetchNext > log.end || this.fetchNext < log.beginning) return this.reopen();
    const some = log.records
      .slice(this.fetchNext, this.fetchNext + count)
      .map((r, i) => ({ ...r, offset: this.fetchNext + i }));
    if (some.length === 0) return;
    const starts: { leaderEpoch: number; from: number }[] = [];
    for (const { epoch, offset } of some)
      if (starts.at(-1)?.leaderEpoch !== epoch) starts.push({ leaderEpoch: epoch, from: offset });
    if (this.epochs.isPassedBy(starts) && lostFrom(log, this.epochs.last) !== undefined) return this.reopen();
    this.fetchNext += some.length;
    this.epochs.add(starts, this.fetchNext);
    this.fetched.push(...some);
  }
  /** Reads one fetched record. */
  read(check: (decision: Decision) => void): void {
    const record = this.fetched.shift();
    if (!record) return;
    try {
      const isDuplicate = this.window.repeatsWords(words(record.id), record.offset, 0);
      if (record.offset >= this.exactFrom) check({ record, isDuplicate, reader: this });
      this.next = record.offset + 1;
      if (this.next > this.position && this.next % 3 === 0)
        this.committed = { offset: this.next, leaderEpoch: this.epochs.before(this.next) };
    } catch (error) {
      if (!(error instanceof IdWindowLostError)) throw error;
      if (/lost records/.test(error.message)) this.conflicts++;
      this.reopen();
    }
  }
}

interface Decision {
  record: TestRecord & { offset: number };
  isDuplicate: boolean;
  reader: Reader;
}

const act = fc.record({
  reader: fc.nat(3),
  kind: fc.constantFrom(
    'read',
    'read',
    'read',
    'read',
    'fetch',
    'fetch',
    'fetch',
    'append',
    'append',
    'leader',
    'reopen',
    'retain',
    'lose',
  ),
  count: fc.nat(30),
  id: fc.nat(25),
});

function run(
  acts: { reader: number; kind: string; count: number; id: number }[],
  { retains, loses, forgets = false }: { retains: boolean; loses: boolean; forgets?: boolean },
) {
  let log = new Log();
  let epoch = 0;
  const windows = new SharedIdWindows(bounds, limits);
  const readers = [0, 1, 2, 3].map(() => new Reader(() => log, windows, { offset: -1, leaderEpoch: -1 }));
  const errors: string[] = [];
  const check = ({ record, isDuplicate, reader }: Decision) => {
    // Only of a record that the log still has.
    const { offset, id, epoch: own } = record;
    const now = log.records[offset];
    if (!now || now.id !== id || now.epoch !== own) return;
    if (log.decided(offset) !== isDuplicate)
      errors.push(`reader ${readers.indexOf(reader)} at ${offset}: ${isDuplicate}`);
  };
  for (const r of readers) r.open();
  for (const { reader, kind, count, id } of acts) {
    const r = readers[reader]!;
    if (kind === 'append') for (let n = 0; n < count; n++) log.records.push({ id: (id + n * 7) % 25, epoch });
    if (kind === 'leader') epoch++;
    if (kind === 'retain' && retains) log.beginning = Math.min(log.end, log.beginning + count);
    if (kind === 'lose' && loses) {
      const next = new Log(log.records.slice(0, Math.max(log.beginning, log.end - count)), log.beginning);
      log = next;
      epoch++;
    }
    if (kind === 'fetch') r.fetch(count);
    if (kind === 'read') for (let n = 0; n < count; n++) r.read(check);
    if (kind === 'reopen') {
      // `OffsetCommitter.offer` of a checkpoint that this member has not read: the epoch is unknown.
      if (forgets) {
        r.committed = { ...r.committed, leaderEpoch: -1 };
        r.close();
        r.own = undefined;
        r.open();
      } else r.reopen();
    }
  }
  const conflicts = readers.reduce((sum, one) => sum + one.conflicts, 0);
  for (const r of readers) r.close();
  return { errors, conflicts, left: windows.size };
}

describe('Shared id windows with the leader epochs that consumers know', () => {
  const all = fc.array(act, { minLength: 20, maxLength: 200, size: 'max' });
  it('find no loss in an intact log', () => {
    fc.assert(
      fc.property(all, (acts) => {
        expect(run(acts, { retains: false, loses: false })).toEqual({ errors: [], conflicts: 0, left: 0 });
      }),
      { numRuns: 150 },
    );
  });
  it('find no loss in an intact log while retention deletes records', () => {
    fc.assert(
      fc.property(all, (acts) => {
        const { conflicts } = run(acts, { retains: true, loses: false });
        expect(conflicts).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
  it('decide rightly about a log that loses its end again and again', () => {
    fc.assert(
      fc.property(all, (acts) => {
        const { errors, left } = run(acts, { retains: false, loses: true });
        expect({ errors, left }).toEqual({ errors: [], left: 0 });
      }),
      { numRuns: 150 },
    );
  });
  it('decide rightly about such a log if offsets are committed without an epoch', () => {
    fc.assert(
      fc.property(all, (acts) => {
        const { errors } = run(acts, { retains: false, loses: true, forgets: true });
        expect(errors).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
