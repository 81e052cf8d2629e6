import { randomUUID } from 'node:crypto';
import {
  encodeRecord,
  EventRecordParser,
  TopicAndGroupNames,
  uuidText,
  type EventRecord,
  type StreamId,
} from '#event';
import { kindsOf } from '#app';
import { StalledConsumerDetector } from '#engine';
import { MemoryErasures } from '#engine/memory';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { type ProjectionGeneration, type ProjectionSpec } from '#features/projections/definition';
import type { Log, ConsumerRecord } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { statesByKey, StoreUnavailableError, type EventRow } from '#store';
import type { MemoryStore } from '#store/memory';
import {
  compileFold,
  compileKey,
  compileSource,
  foldEvent,
  IdWindow,
  SharedIdWindows,
  type AsOfTime,
  type FoldState,
} from '#dataflow';
import { answerAsOf, lookupName, type ProjectionAnswer } from '#features/pipelines/computation';
import { createLogger } from '#telemetry';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { MemoryStoreWithSnapshots } from '../../../libs/features/entities/snapshots/memory-entity-snapshots.fixture.js';
import { features } from './features.js';
import { ProjectionsProcessor, type ProjectionsProcessorOptions } from '#features/projections/processor';

export const topics = new TopicAndGroupNames('test.');
export const window = { records: 1000, milliseconds: 3_600_000 };

/** Returns the event id with the number `n`, which is the same in every spec. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

export const revenue: ProjectionSpec = {
  source: { streams: ['orders'] },
  key: 'event.data.currency',
  fields: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } },
  from: 'beginning',
};

/** The time of the event with the id 0, in microseconds. */
export const firstTime = 1_795_000_000_000_000;

export interface SpecEvent {
  id: number;
  entity?: string | null;
  data?: Record<string, unknown>;
  type?: string;
  /** In microseconds; by default, events are one microsecond apart, in the order of their ids. */
  timestamp?: number;
  /** In microseconds; the default is that of `timestamp`. */
  ingested_at?: number;
  /** Raw record value that is written instead of the encoded event. */
  value?: string;
}

export function valueOf({ id, entity = 'e', data = {}, type = 'order.placed', ...times }: SpecEvent): string {
  const time = firstTime + id;
  const { timestamp = time, ingested_at = time } = times;
  const event: EventRecord = {
    ...{ event_id: uuid(id), event_type: type, entity_id: entity, timestamp, ingested_at },
    ...{ schema_version: null, metadata: '{}', data: JSON.stringify(data) },
  };
  return encodeRecord(event);
}

export type ProjectionCrashPoint = 'letters' | 'load' | 'rows' | 'progress' | 'saved' | 'commit';

/** A simulated processor process. A spec can kill the process at any step; a killed process does nothing more. */
export class SimulatedProjections {
  dead = false;
  storeIsAway = false;
  readonly steps: ProjectionCrashPoint[] = [];
  readonly failures: Error[] = [];
  readonly processor: ProjectionsProcessor;
  /** Hook that a spec sets; the process calls it before each step. */
  before: (step: ProjectionCrashPoint) => void | Promise<void> = () => undefined;

  constructor(
    world: Pick<ProcessorTestBed, 'log' | 'definitions' | 'erasures'> & { store: MemoryStore },
    options: Partial<ProjectionsProcessorOptions> = {},
  ) {
    const { store } = world;
    this.processor = new ProjectionsProcessor({
      log: this.logOf(world.log),
      ...{ topics, definitions: world.definitions, erasures: world.erasures },
      idWindows: new SharedIdWindows(window),
      reader: store.reader,
      progress: new StalledConsumerDetector(),
      logger: createLogger({ name: 'test', level: 'silent' }),
      cache: { keys: 1000, weight: 1e9 },
      unsaved: { keys: 500, weight: 1e9 },
      saveIntervalMs: 0,
      lookMs: 5,
      retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
      onFailure: (error) => this.failures.push(error),
      writer: {
        save: async (rows, progress) => {
          await this.step('rows');
          await store.projections.save(rows, []);
          await this.step('progress');
          await store.projections.save([], progress);
          await this.step('saved');
        },
        load: async (place, keys) => {
          await this.step('load');
          return store.projections.load(place, keys);
        },
        progressOf: async (place) => {
          await this.step('load');
          return store.projections.progressOf(place);
        },
        remove: (build) => store.projections.remove(build),
        owners: () => store.projections.owners(),
        appendDeadLetters: async (letters) => {
          await this.step('letters');
          await store.writer.appendDeadLetters(letters);
        },
      },
      ...options,
    });
    this.processor.start();
  }

  /** Ends the processor as SIGKILL does: the processor saves and commits nothing more. */
  async kill(): Promise<void> {
    this.dead = true;
    await this.processor.close(0);
  }

  private async step(step: ProjectionCrashPoint): Promise<void> {
    this.throwIfGone();
    this.steps.push(step);
    await this.before(step);
    this.throwIfGone();
  }

  private throwIfGone(): void {
    if (this.dead || this.storeIsAway) throw new StoreUnavailableError('away');
  }

  private logOf(log: MemoryLog): Log {
    return {
      admin: log.admin,
      producer: () => log.producer(),
      tableReader: (topic, handler) => log.tableReader(topic, handler),
      close: () => log.close(),
      consumer: (options) => {
        const consumer = log.consumer(options);
        return {
          joined: true,
          fetchNow: () => undefined,
          subscribe: (names) => consumer.subscribe(names),
          reassign: (topic, partition) => consumer.reassign(topic, partition),
          close: () => consumer.close(),
          commit: async (topic, partition, offset) => {
            if (this.dead) return false;
            this.steps.push('commit');
            await this.before('commit');
            return this.dead ? false : await consumer.commit(topic, partition, offset);
          },
        };
      },
    };
  }
}

/** In-memory fakes of Kafka and ClickHouse, which survive the death of a processor. */
export class ProcessorTestBed {
  readonly log = new MemoryLog();
  readonly store = new MemoryStoreWithSnapshots();
  readonly erasures = new MemoryErasures();
  readonly definitions: Definitions;
  private builds = 0;
  /** Records that retention has deleted from the log. */
  private readonly expired: ConsumerRecord[] = [];

  private constructor() {
    this.definitions = openDefinitions({
      log: this.log,
      names: topics,
      defaults: { partitions: 2 },
      kinds: [...resourceKinds, ...kindsOf(features)],
    });
  }

  static async make(streams: readonly string[] = ['orders'], partitions = 2): Promise<ProcessorTestBed> {
    const world = new ProcessorTestBed();
    await world.definitions.start();
    for (const stream of streams) await world.definitions.createStream({ stream, partitions }, systemActor);
    return world;
  }

  /** Returns the id of the stream that has this name now. */
  idOf(stream: string): StreamId {
    return this.definitions.stream(stream)?.id ?? `${stream}#0`;
  }

  /** Returns the topic of the stream that has this name now. */
  topicOf(stream: string): string {
    return topics.ofStream(this.idOf(stream));
  }

  async write(events: readonly SpecEvent[], stream = 'orders'): Promise<void> {
    const producer = await this.log.producer();
    await producer.append(
      events.map((event) => ({
        topic: this.topicOf(stream),
        key: event.entity ?? uuid(event.id),
        value: event.value ?? valueOf(event),
      })),
    );
  }

  /**
   * Stores all events that are or were in the log, as a materializer does, with the times of the log as ingestion times.
   * @param options.isStored Selects by offset the events that are stored; the others are dropped, like dead letters.
   * @param options.ownTimes Stores the ingestion times that the records contain.
   */
  async materialize(
    stream = 'orders',
    {
      isStored = () => true,
      ownTimes = false,
    }: { isStored?: ((offset: number) => boolean) | undefined; ownTimes?: boolean } = {},
  ): Promise<void> {
    const topic = this.topicOf(stream);
    for (const partition of this.log.topics.get(topic)!.partitions.keys()) {
      const [ids, reader, rows] = [new IdWindow(window), new EventRecordParser(), [] as EventRow[]];
      const versions = new Map<string, number>();
      for (const { value, offset, timestamp } of this.history(topic, partition)) {
        if (!reader.readIfEvent(value!)) ids.pass(offset, timestamp);
        else if (!ids.repeatsWords(reader.id, offset, timestamp) && isStored(offset)) {
          const entity_id = reader.entityId.toString() || null;
          const version = entity_id === null ? null : (versions.get(entity_id) ?? 0) + 1;
          if (version !== null) versions.set(entity_id!, version);
          rows.push({
            ...{ stream: topics.streamOf(topic)!, partition, offset, entity_id, version },
            event_id: uuidText(reader.id),
            ...{ event_type: reader.eventType.toString(), schema_version: null },
            timestamp: reader.timestamp,
            ingested_at: ownTimes ? reader.ingestedAt : timestamp * 1000,
            ...{ metadata: '{}', data: reader.data.toString() },
          });
        }
      }
      await this.store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
      const end = this.log.topics.get(topic)!.end(partition);
      this.log.broker.group(topics.materializerGroup).commit({ topic, partition }, end);
    }
  }

  /** Deletes this fraction of the records of each partition, as retention does. */
  expire(part: number, stream = 'orders'): void {
    const topic = this.log.topics.get(this.topicOf(stream))!;
    for (const partition of topic.partitions.keys()) {
      const [beginning, end] = [topic.beginning(partition), topic.end(partition)];
      const before = beginning + Math.ceil((end - beginning) * part);
      this.expired.push(...topic.read(partition, beginning, before - beginning));
      topic.truncate(partition, before);
    }
  }

  private history(topic: string, partition: number): ConsumerRecord[] {
    const gone = this.expired.filter((one) => one.topic === topic && one.partition === partition);
    return [...gone, ...this.log.topics.get(topic)!.partitions[partition]!.records];
  }

  /** Returns a generation as the gateway creates it when a projection is defined, changed or reset. */
  build(spec: ProjectionSpec, more: Partial<ProjectionGeneration> = {}): ProjectionGeneration {
    const sources = spec.source.streams.map((stream) => [
      stream,
      { id: this.definitions.stream(stream)!.id },
    ]);
    return {
      id: (++this.builds).toString(16).padStart(24, '0'),
      version: 1,
      spec,
      sources: Object.fromEntries(sources) as ProjectionGeneration['sources'],
      started_at: new Date(1_795_000_000_000 + this.builds).toISOString(),
      ...more,
    };
  }

  async define(name: string, building: ProjectionGeneration): Promise<ProjectionGeneration> {
    await this.definitions.projections.change(
      name,
      (current) => ({
        ...{ name, version: building.version, created_at: building.started_at, paused: false },
        ...{ serving: current?.serving ?? null, building, failure: null },
      }),
      systemActor,
    );
    return building;
  }

  async pause(name: string, paused: boolean): Promise<void> {
    await this.definitions.projections.change(
      name,
      (current) => current && { ...current, paused },
      systemActor,
    );
  }

  projection(name: string) {
    return this.definitions.projections.get(name);
  }

  /** Returns the stored states of a generation: result, events and last offset by stream, partition and key. */
  async states(build: ProjectionGeneration): Promise<Record<string, unknown>> {
    const fold = compileFold(build.spec.fields);
    const keys = await this.store.projections.keys({ owner: build.id, limit: 1_000_000 });
    const parts = keys.flatMap((key) => key.parts);
    return Object.fromEntries(
      parts.map((row) => [
        `${row.stream}/${row.partition}/${row.key}`,
        stateOf(fold.result(JSON.parse(row.state) as FoldState), row.events, row.position),
      ]),
    );
  }

  /** Returns the state of each key, merged over its partitions. */
  async mergedStates(build: ProjectionGeneration): Promise<Record<string, string>> {
    const fold = compileFold(build.spec.fields);
    const keys = await this.store.projections.keys({ owner: build.id, limit: 1_000_000 });
    return Object.fromEntries(
      keys.map(({ key, parts }) => {
        const states = parts.map(({ state }) => JSON.parse(state) as FoldState);
        return [key, fold.result(states.reduce((a, b) => fold.merge(a, b)))];
      }),
    );
  }

  /** Returns the state of each key as of a time, from the stored histories. */
  async statesAsOf(build: ProjectionGeneration, asOf: AsOfTime): Promise<Record<string, string>> {
    const fold = compileFold(build.spec.fields);
    const keys = await this.store.projections.keys({ owner: build.id, limit: 1_000_000 });
    const names = keys.map(({ key }) => key);
    const lookups = names.map((key) => ({ projection: 'p', key, asOf }));
    const found = await this.store.projections.histories(build.id, names);
    const answers = new Map<string, ProjectionAnswer>();
    await answerAsOf(lookups, { found: statesByKey(found), fold }, answers);
    return Object.fromEntries(
      lookups.flatMap((lookup) => {
        const answer = answers.get(lookupName(lookup));
        return typeof answer === 'string' ? [[lookup.key, answer]] : [];
      }),
    );
  }

  /** Returns the time up to which all events are in the stored histories; -Infinity if a partition has none. */
  async reached(build: ProjectionGeneration): Promise<number> {
    const saved = await this.store.projections.progress([build.id]);
    if (saved.length < 2) return -Infinity;
    return Math.min(...saved.map(({ watermark }) => watermark ?? -Infinity));
  }

  /** Returns the states that `states` must return: a fold over all records that were ever in the log. */
  folded(build: ProjectionGeneration): {
    states: Record<string, unknown>;
    processed: number;
    failed: number;
  } {
    const [fold, keyOf] = [compileFold(build.spec.fields), compileKey(build.spec.key)];
    const matches = compileSource(build.spec.source);
    const known = new Map<string, { state: FoldState; events: number; last: number }>();
    const reader = new EventRecordParser();
    const counted = { processed: 0, failed: 0 };
    for (const stream of Object.keys(build.sources))
      for (const partition of this.log.topics.get(this.topicOf(stream))!.partitions.keys()) {
        const ids = new IdWindow(window);
        for (const { value, offset, timestamp } of this.history(this.topicOf(stream), partition)) {
          if (!reader.readIfEvent(value!)) {
            ids.pass(offset, timestamp);
            continue;
          }
          if (ids.repeatsWords(reader.id, offset, timestamp)) continue;
          const entity = reader.entityId.toString();
          if (offset < this.erasures.endOf({ stream: build.sources[stream]!.id }, entity)) continue;
          const event = foldEvent({
            ...{ event_id: '', stream, event_type: reader.eventType.toString(), entity_id: entity || null },
            ...{ timestamp: reader.timestamp, ingested_at: reader.ingestedAt, schema_version: null },
            ...{ metadata: '{}', data: reader.data.toString(), partition, offset },
          });
          if (!matches(event)) continue;
          const { key, refused } = keyOf(event);
          if (refused) counted.failed++;
          if (typeof key !== 'string') continue;
          const name = `${stream}/${partition}/${key}`;
          const found = known.get(name) ?? { state: fold.empty, events: 0, last: -1 };
          const outcome = fold.add(found.state, event);
          if (!outcome.state) counted.failed++;
          else {
            counted.processed++;
            known.set(name, { state: outcome.state, events: found.events + 1, last: offset });
          }
        }
      }
    const states = [...known].map(([name, { state, events, last }]) => [
      name,
      stateOf(fold.result(state), events, last),
    ]);
    return { states: Object.fromEntries(states) as Record<string, unknown>, ...counted };
  }

  /** Returns the sums of the stored counters. */
  async counted(build: ProjectionGeneration): Promise<{ processed: number; failed: number }> {
    const progress = await this.store.projections.progress([build.id]);
    return {
      processed: progress.reduce((sum, { processed }) => sum + processed, 0),
      failed: progress.reduce((sum, { failed }) => sum + failed, 0),
    };
  }

  /** Resolves with whether the consumer group of a generation has committed the end of the log. */
  async isThrough(build: ProjectionGeneration): Promise<boolean> {
    for (const stream of Object.keys(build.sources)) {
      const topic = this.topicOf(stream);
      const committed = await this.log.admin.committed(topics.projectionGroup(build.id), topic);
      for (const { partition, end } of await this.log.admin.offsets(topic))
        if ((committed.get(partition) ?? 0) < end) return false;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.definitions.close();
    await this.log.close();
  }
}

function stateOf(result: string, events: number, last: number): unknown {
  return { result: JSON.parse(result) as unknown, events, last };
}
