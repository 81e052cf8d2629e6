import {
  decodeLogRecord,
  sampledRequests,
  type CheckpointedTask,
  type OwnedPartition,
  type PartitionErasureLookup,
  type SampledWriteRequest,
} from '#engine';
import { TimeSlice } from '#async';
import { StepBudget, withinBudget } from '#cel';
import type { EpochMicros } from '#json';
import { deadLettersWeight, initialProgress, type UnsavedStateChanges } from '#processor-kit';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  historyStage,
  maxStateKeys,
  type StatePartitionKey,
  type DeadLetter,
  type PartitionCheckpoint,
  type KeyedStateRow,
} from '#store';
import {
  type AsOfTime,
  type FoldAddResult,
  type FoldEvent,
  type FoldState,
  type IdWindowReader,
  type FoldRejection,
  foldEvent,
  StateHistory,
} from '#dataflow';
import { IngestionClock } from './ingestion-clock.js';
import type { CompiledGeneration } from './desired-generations.js';
import type { CachedKeyState, PartitionKeyStateCache } from './shared-key-state-cache.js';

/**
 * Maximum number of events whose keys one query loads from the store. The limit bounds the keys of the query and the
 * keys in memory. The limit is large because ClickHouse reads most of the key column anyway: of a million keys, loading
 * 1 300 takes 100 ms of a core, and loading 5 000 takes 120 ms.
 */
const sliceEvents = Math.min(5000, maxStateKeys);
/** The same for a projection with histories, of which one may be a hundred times larger than a state. */
const sliceEventsWithHistory = 500;
/** Maximum number of traced requests for which one checkpoint records spans. */
const followedRequests = 16;

interface PartitionProjectorOptions {
  /** Name of the projection. */
  name: string;
  compiled: CompiledGeneration;
  place: StatePartitionKey;
  partition: Pick<OwnedPartition, 'assignment' | 'ended' | 'commit' | 'isBehind' | 'handledUntil'>;
  /**
   * Offset below which events are already folded and saved, or precede this generation. Records below this offset only
   * fill the id window.
   */
  from: number;
  /** The saved progress of the partition; undefined if no progress is saved. */
  progress: PartitionCheckpoint | undefined;
  window: Pick<
    IdWindowReader,
    'bounds' | 'start' | 'isPrivate' | 'repeatsWords' | 'pass' | 'readsStoreBelow'
  >;
  erasures: Pick<PartitionErasureLookup, 'endOf'>;
  keys: PartitionKeyStateCache;
  /** Whether trace spans are recorded for sampled requests. */
  traced?: boolean;
  /** Loads the stored states of these keys, and their histories if the projection keeps them. */
  readonly load: (keys: readonly string[]) => Promise<KeyedStateRow[]>;
  /** Returns the current time in microseconds since 1970. */
  now: () => EpochMicros;
}

/** Numbers of records of a batch by their outcome. */
export interface FoldOutcomeCounts {
  processed: number;
  failed: number;
  duplicates: number;
}

/** The unsaved changes of one partition of a projection. */
export interface UnsavedProjectionChanges extends UnsavedStateChanges {
  /** Name of the projection. */
  name: string;
  /** The traced requests whose events are folded into the unsaved states. */
  sampled: readonly SampledWriteRequest[];
}

interface MatchedEvent {
  event: FoldEvent;
  record: ConsumerRecord;
  key: string;
  ingestedAt: EpochMicros;
  /** Time since which the event counts as ingested. */
  known: EpochMicros;
  /** Step budget for this event, shared by all CEL expressions of the definition. */
  steps: StepBudget;
}

/**
 * Folds the events of one assigned partition for one generation of a projection. For each key, the state in memory
 * always equals the fold of the partition up to some offset. The states can therefore be saved at any time, even by two
 * processes at once. An event at or below the last folded offset of its key is not folded again.
 */
export class PartitionProjector implements CheckpointedTask<UnsavedProjectionChanges> {
  readonly name = this.options.name;
  readonly partition = this.options.partition;
  private next: number;
  /** Offset below which the id window has all event ids that a later record can repeat. */
  private remembered: number;
  private savedNext: number;
  private processed: number;
  private failed: number;
  private letters: DeadLetter[] = [];
  private lettersWeight = 0;
  private lastTimestamp = 0;
  private sampled: SampledWriteRequest[] = [];
  private readonly clock: IngestionClock;
  /** The time of the clock at `next`. */
  private ingestedTo: EpochMicros | null;
  private savedIngestedTo: EpochMicros | null;
  private isTaking = false;
  /** The time at which the last batch began. */
  private batchTime: EpochMicros = 0;

  constructor(private readonly options: PartitionProjectorOptions) {
    const { progress, from, window } = options;
    this.next = from;
    this.remembered = window.isPrivate ? 0 : window.start;
    this.savedNext = progress?.next ?? -1;
    this.processed = progress?.processed ?? 0;
    this.failed = progress?.failed ?? 0;
    this.ingestedTo = progress?.watermark ?? null;
    this.savedIngestedTo = this.ingestedTo;
    this.clock = new IngestionClock(this.ingestedTo);
  }

  /** Whether the task is far behind the end of its partition, so that saving its states is not urgent. */
  get isBehind(): boolean {
    return this.partition.isBehind(this.next);
  }

  /** Number of keys and dead letters that wait to be saved. */
  get unsavedCount(): number {
    return this.options.keys.changed.size + this.letters.length;
  }

  /** Approximate size of the keys and dead letters that wait to be saved, in characters. */
  get unsavedWeight(): number {
    return this.options.keys.changedWeight + this.lettersWeight;
  }

  /**
   * The progress of the partition. All events below `next` are folded or precede the generation. All event ids below
   * `known` that a later record can repeat are in the id window.
   */
  get reached(): { next: number; known: number } {
    const { next, remembered, options } = this;
    return { next, known: Math.max(remembered, next - options.window.bounds.records) };
  }

  /**
   * Folds the events of a batch. Rejects when the partition is revoked during the batch.
   * @param beginning For a batch that was read from the store: the first offset that Kafka still has. Every event of
   *   such a batch is folded, because the store has no repeated event ids. Only event ids below `beginning` are added
   *   to the id window by this call; the later ids are added when their records are read from Kafka.
   */
  async take(batch: RecordBatch, beginning?: number): Promise<FoldOutcomeCounts> {
    const counted: FoldOutcomeCounts = { processed: 0, failed: 0, duplicates: 0 };
    this.isTaking = true;
    this.batchTime = this.options.now();
    if (beginning !== undefined) this.options.window.readsStoreBelow(beginning);
    const waiting = await this.foldKnown(batch.records, counted, beginning);
    const most = this.options.compiled.history === undefined ? sliceEvents : sliceEventsWithHistory;
    for (let at = 0; at < waiting.length; at += most)
      await this.foldSlice(waiting.slice(at, at + most), counted);
    this.lastTimestamp = batch.records.at(-1)?.timestamp ?? this.lastTimestamp;
    this.processed += counted.processed;
    this.failed += counted.failed;
    this.remembered = Math.max(this.remembered, Math.min(batch.next, beginning ?? batch.next));
    // `next` advances last, so that a checkpoint during the batch still refers to the start of the batch.
    this.next = Math.max(this.next, batch.next);
    this.ingestedTo = this.clock.time;
    this.isTaking = false;
    return counted;
  }

  /**
   * Declares that all events that were ingested up to a time are folded, if the partition ended at `end` then. A later
   * record counts as ingested after that time. Returns whether the progress must be saved.
   */
  hasReadAll(end: number, time: EpochMicros): boolean {
    if (this.options.compiled.history === undefined || this.isTaking || this.next < end) return false;
    this.clock.advance(time);
    this.ingestedTo = this.clock.time;
    return this.ingestedTo !== this.savedIngestedTo;
  }

  /** Returns the changes since the last checkpoint; undefined if nothing has changed. */
  unsaved(): UnsavedProjectionChanges | undefined {
    const { keys, place, from, now, compiled } = this.options;
    const watermark = compiled.history === undefined ? null : this.ingestedTo;
    if (
      this.unsavedCount === 0 &&
      (this.next === this.savedNext || this.next === from) &&
      watermark === this.savedIngestedTo
    )
      return undefined;
    const entries = [...keys.changed].map((entry) => ({ entry, rows: this.rowsOf(entry) }));
    const letters = [...this.letters];
    const { next, lastTimestamp, sampled, name, partition } = this;
    const counts = { processed: this.processed, failed: this.failed };
    const leader_epoch = partition.assignment.epochBefore(next);
    const progress = {
      ...place,
      ...initialProgress,
      ...counts,
      next,
      leader_epoch,
      watermark,
      updated_at: now(),
    };
    const saved = (): void => {
      for (const { entry, rows } of entries) {
        const { position } = rows[0]!;
        const weight = rows.reduce((sum, { state }) => sum + state.length, 0);
        if (entry.lastOffset === position) keys.weigh(entry, weight - entry.weight);
        keys.saved(entry, position);
      }
      this.letters = this.letters.slice(letters.length);
      this.sampled = this.sampled.filter((one) => !sampled.includes(one));
      this.lettersWeight = deadLettersWeight(this.letters);
      [this.savedNext, this.savedIngestedTo] = [next, watermark];
      partition.handledUntil = Math.max(partition.handledUntil, lastTimestamp);
    };
    return { letters, rows: entries.flatMap(({ rows }) => rows), progress, name, sampled, saved };
  }

  close(): void {
    this.options.keys.close();
  }

  /**
   * Folds the events of keys whose state is in memory at once, because keeping an event for later costs the garbage
   * collector more than folding the event. Returns the other events: the events of keys whose state must be loaded from
   * the store. Yields to other work of the process between records.
   */
  private async foldKnown(
    records: readonly ConsumerRecord[],
    counted: FoldOutcomeCounts,
    beginning?: number,
  ): Promise<MatchedEvent[]> {
    const waiting: MatchedEvent[] = [];
    const traced: ConsumerRecord[] = [];
    const turn = new TimeSlice();
    for (const record of records) {
      if (turn.over(record.value?.length ?? 0)) await this.giveWay(turn);
      const found = this.admitOne(record, counted, beginning);
      if (!found) continue;
      if (this.options.traced) traced.push(record);
      const entry = this.inMemory(found.key);
      if (entry) this.foldOne(found, entry, counted);
      else waiting.push(found);
    }
    if (traced.length > 0)
      this.sampled = [...this.sampled, ...sampledRequests(traced)].slice(0, followedRequests);
    return waiting;
  }

  /** Yields to other work of the process. @throws the signal's reason when the partition is revoked */
  private async giveWay(turn: TimeSlice): Promise<void> {
    await turn.end();
    this.partition.ended.throwIfAborted();
  }

  /**
   * Decodes a record and evaluates the key of its event. Returns undefined if the event is not folded. The method is
   * synchronous, because all partitions share one decoder, which holds one record at a time.
   */
  private admitOne(
    record: ConsumerRecord,
    counted: FoldOutcomeCounts,
    beginning?: number,
  ): MatchedEvent | undefined {
    const { window, compiled, erasures, place } = this.options;
    const { offset, timestamp } = record;
    const read = decodeLogRecord(record);
    const isNew = offset >= this.remembered && (beginning === undefined || offset < beginning);
    if (isNew) this.remembered = offset + 1;
    if (!read) {
      if (isNew) window.pass(offset, timestamp);
      return undefined;
    }
    const repeated = isNew && window.repeatsWords(read.id, offset, timestamp);
    if (offset < this.next) return undefined;
    if (repeated && beginning === undefined) {
      counted.duplicates++;
      return undefined;
    }
    const known = this.clock.read(read.ingestedAt, this.batchTime);
    if (compiled.eventTypes && !compiled.eventTypes.has(read.eventType)) return undefined;
    if (read.entityId !== null && offset < erasures.endOf(read.entityId)) return undefined;
    const event = read.event(place.stream);
    const ready = foldEvent(event);
    const steps = new StepBudget();
    const found = withinBudget(steps, () => (compiled.matches(ready) ? compiled.keyOf(ready) : undefined));
    if (found?.refused) this.reject(record, found.refused, counted);
    if (typeof found?.key !== 'string') return undefined;
    return { event: ready, record, key: found.key, ingestedAt: event.ingested_at, known, steps };
  }

  private async foldSlice(matched: readonly MatchedEvent[], counted: FoldOutcomeCounts): Promise<void> {
    const entries = await this.entriesOf(new Set(matched.map(({ key }) => key)));
    this.partition.ended.throwIfAborted();
    const turn = new TimeSlice();
    for (const one of matched) {
      if (turn.over(one.record.value?.length ?? 0)) await this.giveWay(turn);
      this.foldOne(one, entries.get(one.key)!, counted);
    }
  }

  private foldOne(
    { event, record, ingestedAt, known, steps }: MatchedEvent,
    entry: CachedKeyState,
    counted: FoldOutcomeCounts,
  ): void {
    const { compiled, keys } = this.options;
    const isFolded = record.offset <= entry.lastOffset;
    // If the state of the event's key was saved before the progress, the event is folded into an empty state again,
    // only to count the event as processed or failed.
    const before = isFolded ? compiled.fold.empty : entry.state;
    const { state = before, ...added } = withinBudget(steps, () => compiled.fold.add(before, event));
    const single = this.stateOf(event);
    const rejection = added.refused ?? single?.refused;
    if (rejection) return this.reject(record, rejection, counted);
    counted.processed++;
    if (isFolded) return;
    const isOther = state !== entry.state;
    Object.assign(entry, { state, lastOffset: record.offset, updatedAt: ingestedAt });
    entry.events++;
    if (single?.state) this.remember(entry, { time: event.position[0], known }, single.state);
    if (isOther) keys.weigh(entry, record.value?.length ?? 0);
    keys.change(entry);
  }

  /** Returns what a history keeps of an event; undefined if the projection keeps none. */
  private stateOf(event: FoldEvent): FoldAddResult | undefined {
    const { fold, history } = this.options.compiled;
    return history === undefined
      ? undefined
      : withinBudget(new StepBudget(), () => fold.add(fold.empty, event));
  }

  private remember(entry: CachedKeyState, times: AsOfTime, state: FoldState): void {
    const { fold, history = 0 } = this.options.compiled;
    entry.history ??= StateHistory.from();
    entry.history.add(times, state, { fold, until: (this.clock.time ?? times.known) - history });
  }

  private async entriesOf(keys: ReadonlySet<string>): Promise<Map<string, CachedKeyState>> {
    const { compiled, load } = this.options;
    const entries = new Map<string, CachedKeyState>();
    const missing: string[] = [];
    for (const key of keys) {
      const entry = this.inMemory(key);
      if (!entry) missing.push(key);
      entries.set(key, entry ?? emptyEntry(key, compiled.fold.empty));
    }
    const rows = missing.length > 0 ? await load(missing) : [];
    const histories = new Map(rows.flatMap((row) => (row.stage === historyStage ? [[row.key, row]] : [])));
    for (const row of rows)
      if (row.stage !== historyStage) entries.set(row.key, entryOf(row, histories.get(row.key)));
    return entries;
  }

  /**
   * Returns the state of a key that is in memory or cannot be in the store; undefined if the state must be loaded from
   * the store.
   */
  private inMemory(key: string): CachedKeyState | undefined {
    const { keys, compiled } = this.options;
    const entry = keys.get(key);
    if (entry || keys.mayBeStored(key)) return entry;
    return emptyEntry(key, compiled.fold.empty);
  }

  private reject(
    record: ConsumerRecord,
    { pointer, detail }: FoldRejection,
    counted: FoldOutcomeCounts,
  ): void {
    const { name, place, compiled, now } = this.options;
    const letter: DeadLetter = {
      source: `projection:${name}`,
      stream: compiled.build.sources[place.stream]!.id,
      partition: place.partition,
      offset: record.offset,
      reason: 'cannot_be_folded',
      error: `${pointer}: ${detail}`,
      event: record.value?.toString() ?? '',
      created_at: now(),
      streams: compiled.build.spec.source.streams,
    };
    counted.failed++;
    this.letters.push(letter);
    this.lettersWeight += deadLettersWeight([letter]);
  }

  /** Returns the row with the state of a key, and the row with its history if it has one. */
  private rowsOf({ key, state, history, events, lastOffset, updatedAt }: CachedKeyState): KeyedStateRow[] {
    const row = {
      ...this.options.place,
      key,
      state: JSON.stringify(state),
      events,
      closes_at: 0,
      position: lastOffset,
      updated_at: updatedAt,
    };
    return history ? [row, { ...row, stage: historyStage, state: JSON.stringify(history) }] : [row];
  }
}

function emptyEntry(key: string, empty: FoldState): CachedKeyState {
  return { key, state: empty, events: 0, lastOffset: -1, updatedAt: 0, weight: 0 };
}

function entryOf(row: KeyedStateRow, history: KeyedStateRow | undefined): CachedKeyState {
  const { key, state: text, events, position: lastOffset, updated_at: updatedAt } = row;
  const state = JSON.parse(text) as FoldState;
  const weight = text.length + (history?.state.length ?? 0);
  const entry: CachedKeyState = { key, state, events, lastOffset, updatedAt, weight };
  if (history) entry.history = StateHistory.from(history.state);
  return entry;
}
