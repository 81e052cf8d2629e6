import type { EventFromKafka } from '#event';
import { derivedId } from './derived-id.js';
import { UpstreamProgress, downstreamWatermark, type WatermarkRecord } from './upstream-progress.js';
import { sourceEvent } from './flow/lazily-parsed-event.js';
import type {
  KeyedEvent,
  OperatorChain,
  PipelineEvent,
  StageResults,
  StateEntry,
  KeyedStage,
  OperatorOutcome,
  CompiledPipeline,
} from './flow/pipeline.js';
import { noWatermark, PartitionWatermarkGenerator } from './partition-watermark-generator.js';

/** The events of each partition of a pipeline's source streams, by names such as `orders/0`. */
export type EventsBySourcePartition = Readonly<Record<string, readonly EventFromKafka[]>>;

/** What a simulated pipeline has emitted, failed and left open, without duplicates. */
interface SimulationResult {
  /** Content of the emitted events, by id. */
  readonly emitted: Readonly<Record<string, string>>;
  /** Late and failed events, by operator and provenance. */
  readonly letters: Readonly<Record<string, string>>;
  /** Ids that were emitted with different contents; a correct simulation has no such ids. */
  readonly conflicts: readonly string[];
  /** State entries that remain at the end; windows among them are errors. */
  readonly open: readonly string[];
}

/** How a simulation runs: its random numbers, the probabilities of failures, and the sizes of topics and batches. */
export interface SimulationSettings {
  random(): number;
  /** Probability that a task ends and restarts from its saved state. */
  readonly crashes: number;
  /** Probability that a partition gets a second task, which starts from the saved state, while its first task continues. */
  readonly zombies: number;
  /** Number of partitions of each stage's topic. */
  readonly partitions: number;
  /** Maximum number of records in a batch of a simulated task. */
  readonly batch: number;
}

/** A simulation without failures: one batch after the other. */
export const inOrder = {
  random: () => 0,
  crashes: 0,
  zombies: 0,
  partitions: 1,
  batch: 1000,
} satisfies SimulationSettings;

type TopicRecord =
  | { kind: 'control'; control: WatermarkRecord }
  | {
      kind: 'data';
      key: string;
      text: string;
      source: string;
      offset: number;
      index: number;
      watermark: number;
      side: 'right' | undefined;
    };

interface SavedStateEntry {
  text: string;
  last: number;
}

interface SavedCheckpoint {
  next: number;
  watermark: number;
  positions: string | undefined;
}

/**
 * The simulated Kafka log and state store: all data that outlives a task. A write takes effect at once and is readable.
 */
class SimulatedEngines {
  readonly topics = new Map<string, TopicRecord[]>();
  readonly rows = new Map<string, Map<string, SavedStateEntry>>();
  readonly progress = new Map<string, SavedCheckpoint>();
  readonly emitted: Record<string, string> = {};
  readonly letters: Record<string, string> = {};
  readonly conflicts: string[] = [];

  constructor(
    readonly pipeline: CompiledPipeline,
    readonly source: EventsBySourcePartition,
    readonly partitions: number,
  ) {}

  append(topic: string, record: TopicRecord): void {
    this.topic(topic).push(record);
  }

  topic(name: string): TopicRecord[] {
    const found = this.topics.get(name) ?? [];
    this.topics.set(name, found);
    return found;
  }

  /**
   * Saves a state entry, unless an entry of a later record is already saved. Entries that the same record produces are
   * equal.
   */
  saveRow(task: string, name: string, row: SavedStateEntry): void {
    const rows = this.rows.get(task) ?? new Map<string, SavedStateEntry>();
    this.rows.set(task, rows);
    if ((rows.get(name)?.last ?? -1) <= row.last) rows.set(name, row);
  }

  saveProgress(task: string, saved: SavedCheckpoint): void {
    if ((this.progress.get(task)?.next ?? 0) <= saved.next) this.progress.set(task, saved);
  }

  out(outcome: OperatorOutcome): void {
    const { at, flow } = outcome;
    const { event_id, ...content } = flow.event;
    const text = contentText(at, content);
    if (outcome.kind === 'late' || outcome.kind === 'fail') {
      this.letters[`${outcome.kind} ${at} ${JSON.stringify(flow.origin)} ${event_id}`] = text;
      return;
    }
    const id = derivedId('run', flow.origin, at);
    if ((this.emitted[id] ??= text) !== text) this.conflicts.push(`${this.emitted[id]} ${text}`);
  }

  /** Returns the stages that a stage or a partition of a stream feeds. */
  stagesFedBy(feeder: { stage: string } | { stream: string }): string[] {
    const isFed = (id: string) => {
      const { stage, streams } = this.pipeline.upstreamOf(id);
      return 'stage' in feeder ? stage === feeder.stage : streams.includes(feeder.stream);
    };
    return this.pipeline.stages.map(({ id }) => id).filter(isFed);
  }

  topicsOf(stage: string): string[] {
    return Array.from({ length: this.partitions }, (_, partition) => `${stage}/${partition}`);
  }
}

/** Returns the content of an event as text, in which the order of its members does not matter. */
export function contentText(at: string, content: object): string {
  return JSON.stringify([at, Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function partitionOf(key: string, partitions: number): number {
  let sum = 0;
  for (let i = 0; i < key.length; i++) sum = (sum * 31 + key.charCodeAt(i)) % 65_521;
  return sum % partitions;
}

const noTables = () => null;

/** A task of a processor. At each `yield` the process may end; the action after the `yield` then does not happen. */
abstract class Task {
  protected next: number;

  constructor(
    protected readonly world: SimulatedEngines,
    readonly name: string,
    private readonly feeds: { stage: string } | { stream: string },
  ) {
    this.next = world.progress.get(name)?.next ?? 0;
  }

  abstract readonly isAtEnd: boolean;
  abstract batch(size: number): Generator<void, void>;

  /**
   * Writes outcomes in the order of the definition. Repartitioned records contain their position among all records
   * derived from one upstream record.
   */
  protected *outcomes(
    outcomes: Iterable<{ outcome: OperatorOutcome; offset: number; index: number; watermark: number }>,
  ): Generator<void, void> {
    for (const { outcome, offset, index, watermark } of outcomes) {
      if (outcome.kind === 'drop') continue;
      yield;
      if (outcome.kind !== 'forward') {
        this.world.out(outcome);
        continue;
      }
      const { key, flow, stage, values, side } = outcome;
      const text = JSON.stringify({ event: flow.event, origin: flow.origin, values });
      const topic = `${stage}/${partitionOf(key, this.world.partitions)}`;
      const place = { source: this.name, offset, index, watermark };
      this.world.append(topic, { kind: 'data', key, text, ...place, side });
    }
  }

  protected *controls(watermark: number, idle: boolean): Generator<void, void> {
    const control: WatermarkRecord = { source: this.name, next: this.next, watermark, idle };
    for (const stage of this.world.stagesFedBy(this.feeds)) {
      for (const topic of this.world.topicsOf(stage)) {
        yield;
        this.world.append(topic, { kind: 'control', control });
      }
    }
  }
}

class SourceTask extends Task {
  private readonly time: PartitionWatermarkGenerator;
  private readonly log: readonly EventFromKafka[];

  constructor(world: SimulatedEngines, name: string) {
    super(world, name, { stream: name.slice(0, name.lastIndexOf('/')) });
    this.log = world.source[name] as readonly EventFromKafka[];
    const { watermark } = world.progress.get(name) ?? { watermark: noWatermark };
    this.time = new PartitionWatermarkGenerator({ idleAfterMs: 1000, nowMs: 0, watermark });
  }

  get isAtEnd(): boolean {
    return this.next >= this.log.length;
  }

  *batch(size: number): Generator<void, void> {
    const { pipeline } = this.world;
    const staged: StagedOutcome[] = [];
    const end = Math.min(this.log.length, this.next + size);
    for (let offset = this.next; offset < end; offset++) {
      const event = this.log[offset] as EventFromKafka;
      const watermark = this.time.value;
      this.time.read(event.timestamp, event.ingested_at, 0);
      const flow = sourceEvent(event);
      pipeline.inputs.forEach((input) => {
        if (!input.streams.includes(event.stream) || !input.matches(flow)) return;
        staged.push(...ran(input.chain, flow, { watermark, index: 0 }).map((one) => ({ ...one, offset })));
      });
    }
    yield* this.outcomes(staged);
    this.next = end;
    yield* this.controls(this.time.value, false);
    yield;
    this.world.saveProgress(this.name, { next: end, watermark: this.time.value, positions: undefined });
  }

  /** Writes the watermark record of a source partition that is idle, long after its last event. */
  *idle(): Generator<void, void> {
    this.time.progress({ nowMs: 0, atEnd: true });
    const { watermark, idle } = this.time.progress({ nowMs: 1000 * 86_400_000, atEnd: true });
    yield* this.controls(watermark, idle);
  }
}

class KeyedTask extends Task {
  private readonly positions: UpstreamProgress;
  private readonly rows = new Map<string, { row: StateEntry; last: number }>();
  /** Names of entries that are not saved yet. */
  private readonly changed = new Set<string>();

  constructor(
    world: SimulatedEngines,
    name: string,
    private readonly keyed: KeyedStage,
  ) {
    super(world, name, { stage: keyed.id });
    const { stage, streams } = world.pipeline.upstreamOf(keyed.id);
    const feeders = [
      ...(stage === undefined ? [] : world.topicsOf(stage)),
      ...Object.keys(world.source).filter((source) =>
        streams.includes(source.slice(0, source.lastIndexOf('/'))),
      ),
    ];
    this.positions = new UpstreamProgress(feeders, world.progress.get(name)?.positions);
    for (const [row, { text, last }] of world.rows.get(name) ?? []) {
      const read = JSON.parse(text) as StateEntry;
      if (read.closesAt > this.positions.watermark) this.rows.set(row, { row: read, last });
    }
  }

  get isAtEnd(): boolean {
    return this.next >= this.world.topic(this.name).length;
  }

  get open(): string[] {
    return [...this.rows.keys()].map((row) => `${this.keyed.at} ${row}`);
  }

  *batch(size: number): Generator<void, void> {
    const { world, name, positions } = this;
    const records = world.topic(name).slice(this.next, this.next + size);
    const staged: StagedOutcome[] = [];
    records.forEach((record, i) => {
      const offset = this.next + i;
      const made = this.take(record, offset);
      staged.push(...made.map((one) => ({ ...one, offset })));
    });
    yield* this.outcomes(staged);
    this.next += records.length;
    const { delay } = this.keyed.operator;
    yield* this.controls(downstreamWatermark(positions.watermark, delay), positions.isIdle);
    for (const changed of this.changed) {
      const { row, last } = this.rows.get(changed)!;
      yield;
      world.saveRow(name, changed, { text: JSON.stringify(row), last });
    }
    this.changed.clear();
    yield;
    const { watermark } = positions;
    world.saveProgress(name, { next: this.next, watermark, positions: positions.save() });
  }

  private take(record: TopicRecord, offset: number): ProducedOutcome[] {
    const { operator, chain } = this.keyed;
    const before = this.positions.watermark;
    const made: ProducedOutcome[] = [];
    let inputs = 0;
    const run = (results: StageResults, watermark: number) => {
      for (const flow of results) {
        const index = inputs++;
        if (flow) made.push(...ran(chain, flow, { watermark, index }));
      }
    };
    if (record.kind === 'control') {
      this.positions.control(record.control);
      const { watermark } = this.positions;
      if (watermark === before) return made;
      const due = [...this.rows].filter(([, { row }]) => row.closesAt <= watermark).sort(byClosing);
      for (const [name, { row }] of due) {
        const closed = operator.close(row, name, watermark);
        this.set(name, closed.row, offset);
        run(closed.results, downstreamWatermark(before, operator.delay));
      }
      return made;
    }
    const { values, ...flow } = JSON.parse(record.text) as PipelineEvent & Pick<KeyedEvent, 'values'>;
    if (!this.positions.take({ ...record, path: flow.origin.path })) return made;
    const watermark = Math.max(before, record.watermark);
    let refused: OperatorOutcome | undefined;
    for (const name of operator.rowsOf(record.key, flow.event.timestamp)) {
      const kept = this.rows.get(name);
      if (kept && kept.last >= offset) continue;
      const step = operator.add(kept?.row, name, {
        ...{ key: record.key, flow, values, watermark },
        ...{ stageWatermark: before, side: record.side },
      });
      if (step.row) this.set(name, step.row, offset);
      refused ??= step.outcome;
      run(step.results, downstreamWatermark(watermark, operator.delay));
    }
    if (refused) made.push({ outcome: refused, watermark, index: inputs });
    return made;
  }

  private set(name: string, row: StateEntry | undefined, offset: number): void {
    if (row) {
      this.rows.set(name, { row, last: offset });
      this.changed.add(name);
    } else {
      this.rows.delete(name);
      this.changed.delete(name);
    }
  }
}

interface ProducedOutcome {
  outcome: OperatorOutcome;
  watermark: number;
  /** Index of the event among the events that enter the chain because of the same record. */
  index: number;
}

interface StagedOutcome extends ProducedOutcome {
  offset: number;
}

function ran(
  chain: OperatorChain,
  flow: PipelineEvent,
  more: { watermark: number; index: number },
): ProducedOutcome[] {
  return chain.run(flow, noTables).map((outcome) => ({ outcome, ...more }));
}

function byClosing([a, x]: [string, { row: StateEntry }], [b, y]: [string, { row: StateEntry }]): number {
  return x.row.closesAt - y.row.closesAt || (a < b ? -1 : 1);
}

/** A running batch, of the current task or of a fenced task that continues. */
interface RunningBatch {
  task: Task;
  steps: Generator<void, void>;
}

/**
 * Runs a pipeline over a whole source as one or more processors do. Each partition of the source and of the stages'
 * topics has a task. Tasks read batches, append and save, and may end at any step. The result does not depend on the
 * processor that runs a task, so the number of processors does not matter; only the random order of the tasks does.
 */
export function simulate(
  pipeline: CompiledPipeline,
  source: EventsBySourcePartition,
  course: SimulationSettings,
): SimulationResult {
  const world = new SimulatedEngines(pipeline, source, course.partitions);
  const start: (() => Task)[] = [
    ...Object.keys(source).map((name) => () => new SourceTask(world, name)),
    ...pipeline.stages.flatMap((stage) =>
      world.topicsOf(stage.id).map((name) => () => new KeyedTask(world, name, stage)),
    ),
  ];
  const tasks = start.map((make) => make());
  const drain = () => {
    while (runAll(tasks, start, course)) continue;
  };
  drain();
  for (const task of tasks) if (task instanceof SourceTask) Array.from(task.idle());
  drain();
  const { emitted, letters, conflicts } = world;
  const open = tasks.flatMap((task) => (task instanceof KeyedTask ? task.open : []));
  return { emitted, letters, conflicts, open };
}

/** Runs all tasks until none has work left. Returns false if no task had work. */
function runAll(tasks: Task[], start: readonly (() => Task)[], course: SimulationSettings): boolean {
  const { crashes, zombies } = course;
  const random = () => course.random();
  const running = new Map<number, RunningBatch[]>();
  let did = false;
  for (;;) {
    const ready = tasks.flatMap((task, i) => (task.isAtEnd && !running.get(i)?.length ? [] : [i]));
    if (ready.length === 0) return did;
    did = true;
    const i = ready[Math.floor(random() * ready.length)] as number;
    const all = running.get(i) ?? [];
    running.set(i, all);
    if (!all.some(({ task }) => task === tasks[i]) && !tasks[i]!.isAtEnd) {
      const size = 1 + Math.floor(random() * course.batch);
      all.push({ task: tasks[i]!, steps: tasks[i]!.batch(course === inOrder ? course.batch : size) });
    }
    const one = all[Math.floor(random() * all.length)];
    if (!one) continue;
    if (one.task === tasks[i] && random() < crashes) {
      all.splice(all.indexOf(one), 1);
      tasks[i] = start[i]!();
    } else if (one.task === tasks[i] && random() < zombies) {
      // The replaced task continues to the end of its batch.
      tasks[i] = start[i]!();
    } else if (one.steps.next().done) all.splice(all.indexOf(one), 1);
  }
}
