import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import { kindsOf } from '#app';
import { StalledConsumerDetector } from '#engine';
import { MemoryErasures } from '#engine/memory';
import { allStreams } from '#api';
import { decodeRecord, encodeRecord, TopicAndGroupNames, type EventRecord, type StreamId } from '#event';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { type PipelineDefinition } from '#features/pipelines/definition';
import { LogUnavailableError, type Log, type Producer, type TopicAdmin } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { StoreUnavailableError, type StoredDeadLetter, type StoredEventIdsQuery } from '#store';
import { MemoryStore } from '#store/memory';
import {
  compilePipeline,
  replayStage,
  type CompiledPipeline,
  replayValue,
  sumStepCounts,
  type PipelineSpec,
  type EventCountsByOperator,
  sourceStreams,
} from '#features/pipelines/computation';
import { IdWindow, SharedIdWindows } from '#dataflow';
import { createLogger } from '#telemetry';
import { features } from '../../../../apps/processor/src/features.js';
import { PipelinesProcessor, type PipelinesProcessorOptions } from './pipelines-processor.js';

export const topics = new TopicAndGroupNames('test.');
const window = { records: 1000, milliseconds: 3_600_000 };

/** Returns the event id with the number `n`, which is the same in every spec. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

const second = 1_000_000;
/** Start of event time in the specs, in microseconds since 1970. */
export const t0 = 1_795_000_080 * second;

export interface SpecEvent {
  id: number;
  /** Event time in seconds after `t0`. */
  at?: number;
  type?: string;
  entity?: string | null;
  data?: Record<string, unknown> | string;
  /** Partition to which the event is written; by default the partition of its entity. */
  partition?: number;
  metadata?: string;
}

export function recordOf({
  id,
  at = 0,
  type = 'order.placed',
  entity = 'e',
  data = {},
  metadata = '{}',
}: SpecEvent): EventRecord {
  const timestamp = t0 + at * second;
  return {
    ...{ event_id: uuid(id), event_type: type, entity_id: entity, timestamp, ingested_at: timestamp },
    ...{ schema_version: null, metadata, data: typeof data === 'string' ? data : JSON.stringify(data) },
  };
}

function replayOf({ id, step, partition, offset, event }: StoredDeadLetter, version: number): string {
  const { operator: at, stream, path, expected } = step!;
  const hex = createHash('sha256').update(id).digest('hex').slice(0, 12);
  const origin = { stream, partition, offset, path, ...(expected !== undefined && { expected }) };
  return replayValue({ id: `00000000-0000-8000-8000-${hex}`, at, version, origin, event });
}

export type PipelineCrashPoint = 'append' | 'appended' | 'letters' | 'load' | 'save' | 'saved' | 'commit';

/**
 * The pipelines of a simulated processor process. A spec can kill the process at any step; a killed process does
 * nothing more.
 */
export class SimulatedPipelines {
  dead = false;
  storeIsAway = false;
  readonly steps: PipelineCrashPoint[] = [];
  readonly failures: Error[] = [];
  readonly pipelines: PipelinesProcessor;
  /** The webhook deliveries that the process has sent. */
  readonly delivered: { id: string; url: string; body: string }[] = [];
  refusesDeliveries: string | undefined;
  /** The missing webhook setting that the process reports; undefined if no setting is missing. */
  missingConfiguration: string | undefined;
  /** Hook that a spec sets; the process calls it before each step. */
  before: (step: PipelineCrashPoint) => void | Promise<void> = () => undefined;

  constructor(
    private readonly world: PipelineTestBed,
    {
      missingConfiguration,
      ...options
    }: Partial<PipelinesProcessorOptions> & { missingConfiguration?: string } = {},
  ) {
    this.missingConfiguration = missingConfiguration;
    const { store, log } = world;
    this.pipelines = new PipelinesProcessor({
      log: this.logOf(log),
      producer: {
        append: async (records) => {
          await this.step('append', LogUnavailableError);
          const positions = await world.producer.append(records);
          await this.step('appended', LogUnavailableError);
          return positions;
        },
      },
      ...{
        topics,
        definitions: world.definitions,
        erasures: world.erasures,
        idWindows: new SharedIdWindows(window),
        reader: world,
        projections: store.projections,
      },
      progress: new StalledConsumerDetector(),
      logger: createLogger({ name: 'test', level: 'silent' }),
      cache: { keys: 1000, weight: 1e9 },
      unsaved: { keys: 500, weight: 1e9 },
      saveIntervalMs: 0,
      pace: { tellMs: 2, quietSaveMs: 0, goneMs: 100 },
      retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
      now: () => world.now,
      onFailure: (error) => this.failures.push(error),
      webhooks: {
        deliver: async (deliveries) => {
          this.delivered.push(...deliveries);
          return deliveries.map(() => this.refusesDeliveries);
        },
        missingConfiguration: () => this.missingConfiguration,
      },
      writer: {
        save: async (rows, progress) => {
          await this.step('save');
          await store.pipelines.save(rows, progress);
          await this.step('saved');
        },
        load: async (place, names) => {
          await this.step('load');
          return store.pipelines.load(place, names);
        },
        due: async (place, query) => {
          await this.step('load');
          return store.pipelines.due(place, query);
        },
        progressOf: async (place) => {
          await this.step('load');
          return store.pipelines.progressOf(place);
        },
        appendDeadLetters: async (letters) => {
          await this.step('letters');
          await store.writer.appendDeadLetters(letters);
        },
        removeClosed: (run, closed) => store.pipelines.removeClosed(run, closed),
        removeStages: (run, stages) => store.pipelines.removeStages(run, stages),
        remove: (run) => store.pipelines.remove(run),
        owners: () => store.pipelines.owners(),
        progress: (runs) => store.pipelines.progress(runs),
      },
      ...options,
    });
    this.pipelines.start();
  }

  /** Ends the process as SIGKILL does: the process writes and saves nothing more. */
  async kill(): Promise<void> {
    this.dead = true;
    await this.pipelines.close(0);
  }

  private async step(
    step: PipelineCrashPoint,
    Gone: new (why: string) => Error = StoreUnavailableError,
  ): Promise<void> {
    this.throwIfGone(Gone);
    this.steps.push(step);
    await this.before(step);
    this.throwIfGone(Gone);
  }

  private throwIfGone(Gone: new (why: string) => Error): void {
    if (this.dead || (this.storeIsAway && Gone === StoreUnavailableError)) throw new Gone('away');
  }

  private logOf(log: MemoryLog): Log {
    return {
      admin: materialized(log.admin),
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

/**
 * Returns an admin client for which the materializer seems to have committed the end of every topic. No materializer
 * runs in these specs, and `storedIds` reads the log.
 */
export function materialized(admin: TopicAdmin): TopicAdmin {
  const committed: TopicAdmin['committed'] = async (group, topic) => {
    if (group !== topics.materializerGroup) return admin.committed(group, topic);
    return new Map((await admin.offsets(topic)).map(({ partition, end }) => [partition, end]));
  };
  return Object.assign(Object.create(admin) as TopicAdmin, { committed });
}

/** In-memory fakes of Kafka and ClickHouse, which survive the death of a process. */
export class PipelineTestBed {
  readonly log = new MemoryLog();
  readonly store = new MemoryStore();
  readonly erasures = new MemoryErasures();
  readonly definitions: Definitions;
  producer: Producer;
  /** Current time of the clock that all processes share, in milliseconds since 1970. */
  now = t0 / 1000;
  private runs = 0;

  private constructor() {
    this.definitions = openDefinitions({
      log: this.log,
      names: topics,
      defaults: { partitions: 2 },
      kinds: [...resourceKinds, ...kindsOf(features)],
    });
  }

  static async make(streams: readonly string[] = ['orders'], partitions = 2): Promise<PipelineTestBed> {
    const world = new PipelineTestBed();
    world.producer = await world.log.producer();
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
    await this.producer.append(
      events.map((event) => ({
        topic: this.topicOf(stream),
        key: event.entity ?? uuid(event.id),
        value: encodeRecord(recordOf(event)),
        partition: event.partition,
      })),
    );
  }

  /** Defines a pipeline. An existing pipeline gets a new version, and keeps its job unless `reset` is true. */
  async define(name: string, spec: PipelineSpec, { reset = false } = {}): Promise<PipelineDefinition> {
    const sources = Object.fromEntries(
      [...sourceStreams(spec).keys()].map((stream) => [stream, { id: this.definitions.stream(stream)!.id }]),
    );
    const id = (++this.runs).toString(16).padStart(24, '0');
    const created_at = new Date(t0 / 1000 + this.runs).toISOString();
    await this.definitions.pipelines.change(
      name,
      (current) => ({
        ...{ name, version: (current?.version ?? 0) + 1, created_at, paused: false, failure: null, spec },
        run: { id: current && !reset ? current.run.id : id, started_at: created_at, sources },
      }),
      systemActor,
    );
    return this.pipeline(name)!;
  }

  async change(name: string, change: Partial<PipelineDefinition>): Promise<void> {
    await this.definitions.pipelines.change(
      name,
      (current) => current && { ...current, ...change },
      systemActor,
    );
  }

  pipeline(name: string): PipelineDefinition | undefined {
    return this.definitions.pipelines.get(name);
  }

  /**
   * Returns the events of a stream as readers see them, without repeated event ids, ordered by partition and offset.
   */
  emitted(stream: string): EventRecord[] {
    const partitions = this.log.topics.get(this.topicOf(stream))?.partitions ?? [];
    return partitions.flatMap(({ records }) => {
      const ids = new IdWindow(window);
      return records.flatMap(({ value, offset, timestamp }) => {
        const event = decodeRecord(value!);
        return ids.repeats(event.event_id, offset, timestamp) ? [] : [event];
      });
    });
  }

  /** Implements `EventReader.storedIds`, with the ids of the events in the log. */
  async storedIds({ ranges, ids }: StoredEventIdsQuery): Promise<string[]> {
    const found = ranges.flatMap(({ stream, partition, from, until }) => {
      const all =
        this.log.topics.get(topics.ofStream(stream as StreamId))?.partitions[partition]?.records ?? [];
      return all.filter(({ offset }) => offset >= from && offset < until);
    });
    const known = new Set(found.map(({ value }) => decodeRecord(value!).event_id));
    return ids.filter((id) => known.has(id));
  }

  /** Returns the data of the events of a stream as objects, sorted by their JSON text. */
  datas(stream: string): unknown[] {
    return this.emitted(stream)
      .map(({ data }) => data)
      .sort()
      .map((data) => JSON.parse(data) as unknown);
  }

  async letters(filter: { replayed?: boolean } = {}): Promise<StoredDeadLetter[]> {
    const query = { access: allStreams, limit: 10_000, ...filter };
    return (await this.store.reader.deadLetters(query)).items;
  }

  /**
   * Sends dead letters to the job's replay topic, as the gateway does.
   * @param later Number of definition versions by which the replay records are ahead of the current definition.
   */
  async replay(name: string, letters: readonly StoredDeadLetter[], later = 0): Promise<void> {
    const { run, version } = this.pipeline(name)!;
    const topic = topics.pipelineReplayTopic(run.id);
    const values = letters.map((letter) => replayOf(letter, version + later));
    await this.producer.append(values.map((value) => ({ topic, key: 'k', value })));
    await this.store.writer.markReplayed(
      letters.map(({ id }) => id),
      this.now * 1000,
    );
  }

  /** Resolves with whether the job has processed and saved all replays. */
  async isReplayed(name: string): Promise<boolean> {
    const { run } = this.pipeline(name)!;
    const [{ end } = { end: 0 }] = await this.log.admin.offsets(topics.pipelineReplayTopic(run.id));
    const progress = await this.store.pipelines.progress([run.id]);
    return (progress.find(({ stage }) => stage === replayStage)?.next ?? 0) >= end;
  }

  /** Returns the sums of the stored counters. */
  async counted(
    name: string,
  ): Promise<Record<'processed' | 'emitted' | 'dropped' | 'late' | 'failed', number>> {
    const progress = await this.store.pipelines.progress([this.pipeline(name)!.run.id]);
    const total = { processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0 };
    for (const row of progress)
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += row[key];
    return total;
  }

  /** Returns the sums of the stored counters of each operator: in, out, dropped, late, failed. */
  async steps(name: string): Promise<Record<string, string>> {
    const { run, spec } = this.pipeline(name)!;
    const rows = await this.store.pipelines.progress([run.id]);
    const counts = rows.reduce<EventCountsByOperator>((sum, { steps = {} }) => sumStepCounts(sum, steps), {});
    const { steps } = compilePipeline(spec);
    return Object.fromEntries(
      steps.map(({ path, operator, key }) => [`${path}/${operator}`, (counts[key] ?? [0]).join(' ')]),
    );
  }

  /** Resolves with whether the progress of every source partition is saved up to the end of the log. */
  async isThrough(name: string): Promise<boolean> {
    const { run, spec } = this.pipeline(name)!;
    const progress = await this.store.pipelines.progress([run.id]);
    for (const stream of sourceStreams(spec).keys())
      for (const { partition, end } of await this.log.admin.offsets(this.topicOf(stream))) {
        const found = progress.find((row) => row.stream === stream && row.partition === partition);
        if ((found?.next ?? 0) < end) return false;
      }
    return true;
  }

  /** Resolves when the keyed stages have read all records that their topics have now. */
  async stagesRead(name: string): Promise<void> {
    const { run } = this.pipeline(name)!;
    const ends = new Map<string, number>();
    for (const { stage } of await this.store.pipelines.progress([run.id])) {
      if (stage === '' || stage === replayStage) continue;
      for (const { partition, end } of await this.log.admin.offsets(topics.pipelineTopic(run.id, stage)))
        ends.set(`${stage}/${partition}`, end);
    }
    await vi.waitFor(
      async () => {
        const rows = await this.store.pipelines.progress([run.id]);
        const isRead = ([place, end]: [string, number]) =>
          rows.some(({ stage, partition, next }) => `${stage}/${partition}` === place && next >= end);
        expect([...ends].every(isRead)).toBe(true);
      },
      { timeout: 20_000, interval: 2 },
    );
  }

  /**
   * Resolves with whether the saved watermark of every partition of every stage is at or above `watermark`. A stage that
   * no event can have reached has no watermark.
   */
  async isPast(name: string, pipeline: CompiledPipeline, watermark: number): Promise<boolean> {
    const { run } = this.pipeline(name)!;
    const progress = await this.store.pipelines.progress([run.id]);
    const hasEvents = (id: string): boolean => {
      const { stage, streams } = pipeline.upstreamOf(id);
      const areWritten = (stream: string) =>
        this.log.topics.get(this.topicOf(stream))!.partitions.some(({ end }) => end > 0);
      return streams.some(areWritten) || (stage !== undefined && hasEvents(stage));
    };
    return pipeline.stages.every(({ id }) => {
      const own = progress.filter(({ stage }) => stage === id);
      return (
        !hasEvents(id) || (own.length > 0 && own.every((row) => (row.watermark ?? -Infinity) >= watermark))
      );
    });
  }

  async close(): Promise<void> {
    await this.definitions.close();
    await this.log.close();
  }
}
