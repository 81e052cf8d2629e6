import type { PartitionErasureLookup } from '#engine';
import {
  decodeRejectedEvent,
  EventRecordParser,
  UnreadableRecordError,
  uuidText,
  type RejectedEventRecord,
} from '#event';
import type { ConsumerRecord } from '#kafka';
import { EventRowBatch, EventRowBatchBuilder } from '#store';
import type { IdHistory, IdWindow, OffsetInterval } from '#dataflow';
import { expectedVersionOf, type Verdict, type VerdictTable } from '#verdicts';
import {
  AtomicGroups,
  atomicGroupMemberOf,
  type AtomicGroupDecision,
  type AtomicGroupRules,
} from './atomic-groups.js';
import { lostOffsetOf } from './lost-offset.js';
import type { LatestEntityVersion, PartitionEntityVersionCache } from '../number/entity-version-cache.js';

/** A Kafka record of a stream that cannot be decoded as an event. */
export interface UnreadableRecord {
  record: ConsumerRecord;
  error: string;
  /** The rejected event and the reason, if the record is an event that an intake endpoint rejected and kept. */
  rejected: RejectedEventRecord | undefined;
}

/** The rows of a batch before the rows have versions, and the records of the batch that did not become rows. */
export interface UnversionedBatch {
  rows: EventRowBatch;
  /** The latest version of the entity of each row, by row index; null for an event without an entity. */
  latest: (LatestEntityVersion | null)[];
  /**
   * Latest versions of entities that are not cached, by entity. The caller loads each version from the store before it
   * calls `number`.
   */
  unknown: Map<string, LatestEntityVersion>;
  unreadable: UnreadableRecord[];
  duplicates: number;
  /** Number of records that are skipped because their entity is erased. */
  erased: number;
  /** New verdicts on records of the batch, in offset order. */
  verdicts: Verdict[];
  /** Conditional records that repeat an accepted event and have no verdict yet. */
  repeated: RepeatedConditional[];
}

/** A conditional record that repeats an accepted event. The record gets the version of the event as its verdict. */
interface RepeatedConditional {
  offset: number;
  eventId: string;
  /** Whether the record is a far duplicate, which other consumers do not recognize themselves. */
  isFar: boolean;
}

/** Event ids that records before a batch may have, and the offsets that such records can have. */
export interface SuspectedDuplicateIds extends OffsetInterval {
  eventIds: string[];
}

/** The offsets of accepted records by event id, for the ids of `SuspectedDuplicateIds`. */
export type AcceptedOffsetsByEventId = ReadonlyMap<string, readonly number[]>;

interface AdmittedRecords extends Omit<UnversionedBatch, 'rows'> {
  /** The latest versions of the entities of conditional records that have no verdict yet. */
  compared: ReadonlyMap<string, LatestEntityVersion>;
  /** Number of rows of this batch for each entity; empty if the batch has no conditional records. */
  counts: Map<LatestEntityVersion, number>;
  /** The offset below which every record had a verdict before the batch. */
  decided: number;
  /** The answers on suspected ids of the batch, by event id. */
  accepted: Map<string, readonly number[]>;
}

const none: ReadonlyMap<string, LatestEntityVersion> = new Map();

interface PartitionRowBuilderOptions {
  stream: string;
  topic: string;
  partition: number;
  /** The committed offset of the consumer group. Records below this offset only fill the id window. */
  position: number;
  window: IdWindow;
  /** The ids that have left the id window; the id window adds them. */
  history: IdHistory;
  versions: Pick<PartitionEntityVersionCache, 'get' | 'add' | 'storedUpTo'>;
  erasures: Pick<PartitionErasureLookup, 'endOf'>;
  verdicts: Pick<VerdictTable, 'decidedUntil' | 'isRefused'>;
}

/**
 * Turns the records of one partition into rows with versions, in offset order. The builder does no I/O and reads no
 * clock. The same log yields the same rows in every process, whatever the offset at which the process starts.
 */
export class PartitionRowBuilder {
  private following = -1;
  /** Offset and timestamp of the first record of each batch that is not stored yet. */
  private starts: { offset: number; timestamp: number }[] = [];

  /**
   * Verdicts that refuse conditional records below `position`, for which no owner published a verdict. The verdicts
   * wait here until the next verdicts are published.
   */
  private readonly skipped: Verdict[] = [];
  private readonly rows: EventRowBatchBuilder;
  private readonly groups = new AtomicGroups();

  constructor(private readonly options: PartitionRowBuilderOptions) {
    const { stream, partition } = options;
    this.rows = new EventRowBatchBuilder({ stream, partition });
  }

  /** The offset after the last record that the builder has read; -1 before the first record. */
  get next(): number {
    return this.following;
  }

  /** The offset below which every record is decided. */
  private get decided(): number {
    return this.options.verdicts.decidedUntil(this.options);
  }

  /** Returns whether a verdict refuses the record at this offset, which is decided. */
  private isRejected(offset: number): boolean {
    return this.options.verdicts.isRefused(this.options, offset);
  }

  /** Advances the builder to this offset. The skipped offsets have no records. */
  pass(next: number): void {
    this.following = Math.max(this.following, next);
  }

  /**
   * Returns whether an unstored batch began with the record of this offset and timestamp. The result is false for a
   * recreated topic, because its records have other timestamps.
   */
  beganAt(offset: number, timestamp: number): boolean {
    return this.starts.some((start) => start.offset === offset && start.timestamp === timestamp);
  }

  /**
   * Returns the entities of the conditional records that have no verdict yet. `admit` compares the expected versions
   * with the versions of these entities.
   */
  entitiesToCompare(records: readonly ConsumerRecord[]): Set<string> {
    const from = Math.max(this.following, this.options.position, this.decided);
    const entities = new Set<string>();
    for (const record of records) {
      if (record.offset < from || expectedVersionOf(record) === undefined) continue;
      if (read(record) === undefined && !reader.entityId.isEmpty) entities.add(reader.entityId.toString());
    }
    return entities;
  }

  /**
   * Decodes the records, drops repeated event ids and refused records, and finds the latest versions of the entities.
   * Records below `next` are skipped. The generator yields event ids that may be those of accepted records outside the
   * id window, and expects the offsets of the accepted records that have these ids.
   * @param records At most as many offsets as the id window has records.
   * @param compared The latest versions of `entitiesToCompare`; undefined if no record is conditional.
   * @param isMarked Whether all records are declared decided after this batch, even if the batch has no verdicts.
   */
  *admit(
    records: readonly ConsumerRecord[],
    compared = none,
    isMarked = false,
  ): Generator<SuspectedDuplicateIds, UnversionedBatch, AcceptedOffsetsByEventId> {
    const found: AdmittedRecords = {
      latest: [],
      unknown: new Map(),
      unreadable: [],
      duplicates: 0,
      erased: 0,
      verdicts: [],
      repeated: [],
      compared,
      counts: new Map(),
      decided: this.decided,
      accepted: new Map(),
    };
    const finished: EventRowBatch[] = [];
    this.noteStart(records);
    this.rows.begin();
    for (let at = this.admitFrom(0, records, found); at < records.length;) {
      const suspects = this.suspectsFrom(at, records, found);
      // All partitions share the buffer for rows, so that no batch may be begun while another one is being built.
      finished.push(this.rows.finish());
      const accepted = yield suspects;
      this.rows.begin();
      for (const id of suspects.eventIds) found.accepted.set(id, accepted.get(id) ?? []);
      at = this.admitFrom(at, records, found);
    }
    const publishes = isMarked || found.verdicts.length > 0 || found.repeated.length > 0;
    if (publishes) found.verdicts.unshift(...this.skipped.splice(0));
    return { ...found, rows: EventRowBatch.join([...finished, this.rows.finish()]) };
  }

  /**
   * Gives each row its version, and returns the rows that are not stored yet.
   * @param stored Indexes of the rows that the store already has.
   */
  number({ rows, latest }: UnversionedBatch, stored: ReadonlySet<number>): EventRowBatch {
    for (let row = 0; row < latest.length; row++) {
      const version = latest[row];
      if (version) rows.setVersion(row, ++version.version);
    }
    return rows.without(stored);
  }

  private noteStart([first]: readonly ConsumerRecord[]): void {
    const { versions, position } = this.options;
    this.starts = this.starts.filter(({ offset }) => offset >= versions.storedUpTo);
    if (!first || first.offset < Math.max(position, this.following)) return;
    this.starts.push({ offset: first.offset, timestamp: first.timestamp });
  }

  /**
   * Admits records in order, from an index on. Returns the index of the first record whose id may be that of an accepted
   * record outside the id window and is not in `found.accepted`; the number of records if there is none.
   */
  private admitFrom(first: number, records: readonly ConsumerRecord[], found: AdmittedRecords): number {
    for (let at = first; at < records.length; at++) {
      const record = records[at]!;
      if (record.offset < this.following) continue;
      if (!this.admitOne(records, at, found)) return at;
      this.following = record.offset + 1;
    }
    return records.length;
  }

  /**
   * Returns the ids of the records from an index on that may be those of accepted records outside the id window. An id
   * that is still in the id window counts if it leaves the window before its repeat.
   */
  private suspectsFrom(
    first: number,
    records: readonly ConsumerRecord[],
    { decided }: Pick<AdmittedRecords, 'decided'>,
  ): SuspectedDuplicateIds {
    const { window, history, position } = this.options;
    const { records: limit } = window.bounds;
    const suspects = { eventIds: new Set<string>(), from: Infinity, until: 0 };
    for (const record of records.slice(first)) {
      if (record.offset < Math.max(position, decided) || read(record) !== undefined) continue;
      const ranges = history.rangesOf(reader.id, Math.max(window.time, record.timestamp));
      const inWindow = window.offsetOf(reader.id);
      const leaves = inWindow !== undefined && record.offset - inWindow > limit;
      if (leaves) ranges.push({ from: Math.max(0, window.offset - limit), until: record.offset - limit });
      if (lostOffsetOf(record) !== undefined) ranges.push({ from: 0, until: record.offset });
      if (ranges.length === 0) continue;
      suspects.eventIds.add(uuidText(reader.id));
      for (const { from, until } of ranges) {
        suspects.from = Math.min(suspects.from, from);
        suspects.until = Math.max(suspects.until, until);
      }
    }
    return { ...suspects, eventIds: [...suspects.eventIds] };
  }

  /**
   * Admits one record. Returns false, and changes nothing, if the record's id must be looked up first. The first line that
   * fits decides. Of a record below the committed offset, only the id is added to the id window: the rest is stored. The
   * decision on a record of an atomic group is that on its group (see `AtomicGroups`).
   *
   * | The record                                      | becomes                                | its id is added |
   * | ----------------------------------------------- | -------------------------------------- | --------------- |
   * | is not an event                                 | a dead letter, and if conditional a verdict | no         |
   * | is refused by a verdict                         | a duplicate, unless it is conditional  | no              |
   * | repeats one that has left the id window, or was written back twice | a far duplicate, with a verdict | no  |
   * | is conditional, and expects another version     | a verdict that refuses it              | no              |
   * | repeats one of the id window                    | a duplicate, and if conditional a verdict | it is there  |
   * | is of an entity that was erased after it        | nothing                                | yes             |
   * | is any other                                    | a row                                  | yes             |
   */
  private admitOne(records: readonly ConsumerRecord[], at: number, found: AdmittedRecords): boolean {
    const { window, position } = this.options;
    const record = records[at]!;
    const error = read(record);
    const committed = record.offset < position;
    const expected = expectedVersionOf(record);
    const isDecided = record.offset < found.decided;
    if (error !== undefined) {
      window.pass(record.offset, record.timestamp);
      if (committed) return true;
      this.admitUnreadable(record, error, found);
      // A verdict is published even for an unreadable conditional record, because readers of the topic wait for a
      // verdict on each conditional record.
      if (expected !== undefined && !isDecided)
        found.verdicts.push({ offset: record.offset, current_version: 0 });
      return true;
    }
    if (isDecided && this.isRejected(record.offset)) {
      window.pass(record.offset, record.timestamp);
      if (expected === undefined && !committed) found.duplicates++;
      return true;
    }
    const isOpen = !isDecided && !committed;
    const member = isOpen && expected !== undefined ? atomicGroupMemberOf(record) : undefined;
    const decision = member && this.groups.decide({ records, at }, member, this.groupRules(found));
    if (member && !decision) return false;
    if (decision) {
      read(record);
      if (this.rejectsInGroup(record, decision, found)) return true;
      if (decision.kind === 'accepted')
        found.verdicts.push({ offset: record.offset, version: expected! + 1 });
    } else {
      const isFar = isOpen && this.isFarDuplicate(record, found);
      if (isFar === undefined) return false;
      if (isFar) {
        this.rejectFar(record, expected, found);
        return true;
      }
      if (expected !== undefined && this.rejects(record, expected, found)) return true;
    }
    const isKnown = window.repeatsWords(reader.id, record.offset, record.timestamp);
    const repeated = decision ? decision.kind === 'repeated' : isKnown;
    if (committed) return true;
    if (repeated) {
      found.duplicates++;
      if (expected !== undefined && !isDecided)
        found.repeated.push({ offset: record.offset, eventId: uuidText(reader.id), isFar: false });
      return true;
    }
    if (reader.entityId.isEmpty) {
      found.latest.push(null);
      this.rows.add(reader, record.offset);
      return true;
    }
    const entity = reader.entityId.toString();
    const erasedBelow = this.options.erasures.endOf(entity);
    if (record.offset < erasedBelow) {
      found.erased++;
      return true;
    }
    const latest = this.latestVersionOf(entity, { offset: record.offset, erasedBelow }, found);
    found.latest.push(latest);
    if (found.compared !== none) found.counts.set(latest, (found.counts.get(latest) ?? 0) + 1);
    this.rows.add(reader, record.offset);
    return true;
  }

  /** Returns what the decision on an atomic group needs. The functions read records into `reader`. */
  private groupRules(found: AdmittedRecords): AtomicGroupRules {
    const { window } = this.options;
    return {
      identityOf: (record) =>
        read(record) === undefined && !reader.entityId.isEmpty
          ? { eventId: uuidText(reader.id), entity: reader.entityId.toString() }
          : undefined,
      repetitionOf: (record) => {
        read(record);
        const isFar = this.isFarDuplicate(record, found);
        if (isFar === undefined) return undefined;
        if (isFar) return 'far';
        return window.wouldRepeat(reader.id, record.offset, record.timestamp) ? 'near' : 'none';
      },
      currentVersion: (record) =>
        read(record) === undefined ? (this.currentVersion(record.offset, found) ?? 0) : 0,
      wasRejected: (offset) => (offset < found.decided ? this.isRejected(offset) : undefined),
    };
  }

  /** Rejects the record in `reader` if its atomic group is refused, or repeats an event that has left the id window. */
  private rejectsInGroup(
    record: ConsumerRecord,
    decision: AtomicGroupDecision,
    found: AdmittedRecords,
  ): boolean {
    const { offset, timestamp } = record;
    this.options.window.pass(offset, timestamp);
    if (decision.kind === 'rejected') found.verdicts.push({ offset, ...decision.verdict });
    else if (decision.kind === 'repeated' && decision.isFar) this.rejectFar(record, 0, found);
    else return false;
    return true;
  }

  /**
   * Returns whether the record in `reader` repeats an accepted record that has left the id window; undefined if this
   * must be looked up first.
   */
  private isFarDuplicate(
    record: ConsumerRecord,
    { accepted }: Pick<AdmittedRecords, 'accepted'>,
  ): boolean | undefined {
    const { window, history } = this.options;
    const { offset, timestamp } = record;
    const lost = lostOffsetOf(record);
    // The record may move ids from the id window to the history.
    window.pass(offset, timestamp);
    if (lost === undefined && !history.mightHave(reader.id, window.time)) return false;
    if (window.wouldRepeat(reader.id, offset, timestamp)) return false;
    const offsets = accepted.get(uuidText(reader.id));
    // A crash between the append and the removal repeats the append, perhaps long after it.
    if (lost !== undefined) return offsets?.some((one) => one < offset && one !== lost);
    // Consumers wait for decisions only where a record that many offsets back is young enough to be repeated.
    const { records } = window.bounds;
    return offsets?.some((one) => offset - one > records && history.includes(one, window.time));
  }

  /**
   * Rejects a far duplicate. All consumers leave the record out, so that its id is not added to the id window. A
   * conditional record still gets the version of the event that it repeats, for the writer that waits for its verdict.
   */
  private rejectFar({ offset }: ConsumerRecord, expected: number | undefined, found: AdmittedRecords): void {
    found.duplicates++;
    if (expected === undefined) found.verdicts.push({ offset, repeated: 'far' });
    else found.repeated.push({ offset, eventId: uuidText(reader.id), isFar: true });
  }

  /**
   * Decides the conditional record in `reader`, and returns whether the record is rejected. At its offset, the expected
   * version must equal the version of the entity.
   *
   * A record that is already decided and not refused is accepted, also after an erasure or after retention. A refused record
   * is not an event, so its id is not added to the id window. A record that repeats an accepted event is not decided
   * again. A record below the committed offset without a verdict is refused, because no process stores it: an operator
   * has moved the offset of the consumer group past the record.
   */
  private rejects({ offset, timestamp }: ConsumerRecord, expected: number, found: AdmittedRecords): boolean {
    const { window, position } = this.options;
    if (window.wouldRepeat(reader.id, offset, timestamp)) return false;
    if (offset < found.decided) return false;
    if (offset < position) {
      this.skipped.push({ offset, current_version: 0 });
      return true;
    }
    const current = this.currentVersion(offset, found);
    const isRejected = expected !== current;
    found.verdicts.push(
      isRejected ? { offset, current_version: current ?? 0 } : { offset, version: expected + 1 },
    );
    return isRejected;
  }

  /**
   * Returns the version that the entity of the record in `reader` has at this offset; undefined if the record has no
   * entity.
   */
  private currentVersion(offset: number, { compared, counts }: AdmittedRecords): number | undefined {
    if (reader.entityId.isEmpty) return undefined;
    const entity = reader.entityId.toString();
    const latest = compared.get(entity);
    if (!latest) throw new Error(`the version to compare at offset ${offset} was not loaded`);
    const erasedBelow = this.options.erasures.endOf(entity);
    if (offset < erasedBelow || latest.offset < erasedBelow) return 0;
    return latest.version + (counts.get(latest) ?? 0);
  }

  private admitUnreadable(record: ConsumerRecord, error: string, found: AdmittedRecords): void {
    const rejected = decodeRejectedEvent(record.value ?? '');
    const entity = rejected?.entity_id ?? null;
    if (entity !== null && record.offset < this.options.erasures.endOf(entity)) found.erased++;
    else found.unreadable.push({ record, error, rejected });
  }

  private latestVersionOf(
    entity: string,
    { offset, erasedBelow }: { offset: number; erasedBelow: number },
    { unknown, compared }: AdmittedRecords,
  ): LatestEntityVersion {
    const { versions } = this.options;
    const cached = versions.get(entity);
    const latest = cached ?? compared.get(entity) ?? { version: 0, offset };
    // All events of the entity that have a version are erased, so the next event of the entity gets version 1.
    if (latest.offset < erasedBelow) latest.version = 0;
    if (!cached) versions.add(entity, latest);
    if (!cached && !compared.has(entity)) unknown.set(entity, latest);
    latest.offset = offset;
    return latest;
  }
}

/** Decoder that all partitions share. Each record is fully processed before the next record is decoded. */
const reader = new EventRecordParser();

/** Decodes a record into `reader`. Returns the reason if the record is not an event, and undefined otherwise. */
function read({ value }: ConsumerRecord): string | undefined {
  if (value === null) return 'the record has no value';
  try {
    reader.read(value);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return error.message;
    throw error;
  }
}
