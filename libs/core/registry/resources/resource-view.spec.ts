import { describe, expect, it } from 'vitest';
import type { ConsumerRecord } from '#kafka';
import { SeededRandom } from '#testkit';
import {
  keyText,
  newKey,
  readKey,
  writeRecord,
  type DefinitionChangeRecord,
} from './definition-change-record.js';
import { systemActor } from './resource-store.js';
import { ResourceView } from './resource-view.js';
import { schemaKind } from '../schemas/schema-kind.js';
import { schemaName, type SchemaSubject } from '../schemas/schema-kind.js';

const name = schemaName('orders', 'order.placed');
const at = '2026-11-21T04:00:00.000000Z';

/** A log in which each record keeps its offset, also after compaction. */
class SmallLog {
  records: ConsumerRecord[] = [];
  private end = 0;

  append(key: string, value: string | null): void {
    const bytes = value === null ? null : Buffer.from(value);
    const place = { topic: 'd', partition: 0, offset: this.end++, timestamp: this.end, headers: {} };
    this.records.push({ ...place, key: Buffer.from(key), value: bytes });
  }

  fold(records: readonly ConsumerRecord[] = this.records): ResourceView<SchemaSubject, unknown> {
    const fold = new ResourceView(schemaKind);
    for (const record of records) fold.apply(record, readKey(record.key));
    return fold;
  }

  /** Compacts all records before a random offset. The tombstones there are removed or kept at random. */
  compact(random: SeededRandom): void {
    const cleaned = random.int(this.records.length + 1);
    const last = new Map(this.records.slice(0, cleaned).map((record) => [String(record.key), record]));
    const keepsTombstones = random.chance(0.5);
    this.records = this.records.filter((record, index) => {
      if (index >= cleaned) return true;
      return last.get(String(record.key)) === record && (record.value !== null || keepsTombstones);
    });
  }
}

/** The expected state: the first record of a revision wins. */
interface Truth {
  revision: number;
  value: SchemaSubject | undefined;
}

/**
 * Simulates a process that changes the subject. The process may have an outdated view, and may end between any two
 * steps.
 */
function change(log: SmallLog, random: SeededRandom, truth: Truth): Truth {
  const seen = random.chance(0.7) ? log.records.length : Math.max(0, log.records.length - random.int(4));
  const view = log.fold(log.records.slice(0, seen));
  const { value, history } = view.current(name);
  const wanted = next(value, random);
  const written = wanted && schemaKind.write(wanted);
  const record: DefinitionChangeRecord = {
    ...newKey('schema', name, written),
    revision: (history?.latest?.revision ?? 0) + 1,
    changed_at: at,
    changed_by: systemActor,
    keeps: (written && history?.keptBeside(written.slot)) ?? {},
    body: written?.body,
  };
  const { key, value: text } = writeRecord('d', record);
  log.append(key, text);
  const won = record.revision === truth.revision + 1;
  if (random.chance(0.7)) {
    const gone = won ? (log.fold().current(name).history?.superseded() ?? []) : [keyText(record)];
    for (const old of gone) log.append(old, null);
  }
  return won ? { revision: record.revision, value: wanted } : truth;
}

function next(subject: SchemaSubject | undefined, random: SeededRandom): SchemaSubject | undefined {
  const schema = { title: random.uuid() };
  const version = { version: (subject?.versions.length ?? 0) + 1, schema, created_at: at };
  if (!subject || random.chance(0.4)) {
    const fresh = {
      stream: 'orders',
      event_type: 'order.placed',
      compatibility: 'none',
      retired: false,
    } as const;
    return { ...fresh, mode: 'enforce', versions: [...(subject?.versions ?? []), version] };
  }
  if (random.chance(0.2)) return undefined;
  return { ...subject, mode: random.pick(['enforce', 'warn', 'off']) };
}

describe('the materialized view of a definition', () => {
  it.each(Array.from({ length: 50 }, (_, seed) => seed))(
    'is the same after any compaction, with processes that crash (seed %i)',
    (seed) => {
      const random = new SeededRandom(seed);
      const log = new SmallLog();
      const live: ResourceView<SchemaSubject, unknown> = new ResourceView(schemaKind);
      let truth: Truth = { revision: 0, value: undefined };
      for (let step = 0; step < 30; step++) {
        const before = log.records.length;
        truth = change(log, random, truth);
        for (const record of log.records.slice(before)) live.apply(record, readKey(record.key));
        if (random.chance(0.2)) log.compact(random);
        expect(live.get(name)).toEqual(truth.value);
        expect(log.fold().get(name)).toEqual(truth.value);
      }
    },
  );
});
