import type { Micros } from '#contracts';
import type { LogRecord, RecordBatch } from '#log';
import { FeederPositions, passedOn, type FlowEvent, type KeyedStage, type Outcome } from '#streaming';
import { none, sum, type Counts } from './counts.js';
import { feederName, type CurrentRun } from './current-run.js';
import { unreadableLetter } from './letters.js';
import { Outgoing, type Cause } from './outgoing.js';
import { OvertakenError, type PartitionRows } from './partition-rows.js';
import type { PartitionState } from './partition-state.js';
import { runChain } from './run-chain.js';
import { readStageRecord, type ForwardedEvent, type StageRecord } from './stage-record.js';
import type { Task, Taken, TaskParts } from './task.js';

/** Records, and rows that they are for, of one stretch. */
const [stretchRecords, stretchRows] = [1000, 5000];
/** Results that wait for the stage's chain, and records that wait to be written. */
const [mostResults, mostWaiting] = [1000, 5000];

export interface KeyedTaskOptions extends TaskParts {
  stage: string;
  rows: PartitionRows;
}

interface Arrival {
  readonly record: LogRecord;
  readonly read: StageRecord | undefined;
  readonly names: readonly string[];
}

interface Result extends Cause {
  readonly flow: FlowEvent;
}

/** A stretch that is being computed. */
interface Work {
  readonly run: CurrentRun;
  readonly stage: KeyedStage;
  readonly outgoing: Outgoing;
  results: Result[];
  closed: boolean;
  /** All rows that are stored come of records before it. */
  readonly before: number;
}

/** Reads one partition of a stage's topic: a window or a dedupe. All that it does depends on that partition alone. */
export class KeyedTask implements Task {
  readonly state: PartitionState;
  private readonly source: string;
  private positions: FeederPositions;
  private known = '';

  constructor(private readonly options: KeyedTaskOptions) {
    const { state, stage } = options;
    this.state = state;
    this.source = feederName(stage, state.partition);
    this.positions = this.positionsOf(options.current(), state.state);
  }

  async take(batch: RecordBatch): Promise<Taken> {
    const taken: Taken = { counts: { ...none }, duplicates: 0, changed: false };
    const { state } = this;
    const fresh = batch.records.filter(({ offset }) => offset >= state.next);
    for (let at = 0; at < fresh.length;) {
      const run = this.options.current();
      const stage = run.stage(this.options.stage);
      // The definition has it no more. It may again before the partition is taken away: nothing may be passed over.
      if (!stage) throw new OvertakenError('the definition has the stage no more');
      const arrivals = stretchFrom(fresh, at, stage);
      at += arrivals.length;
      const next = at < fresh.length ? arrivals.at(-1)!.record.offset + 1 : batch.next;
      const { counts, changed } = await this.takeStretch(arrivals, { run, stage, next });
      taken.counts = sum(taken.counts, counts);
      taken.changed ||= changed;
    }
    state.end = Math.max(state.end, batch.highWatermark);
    return taken;
  }

  async tell(): Promise<void> {
    const { state, source } = this;
    const { current, controls, stage } = this.options;
    const found = current().stage(stage);
    if (!found) return;
    const watermark = passedOn(state.watermark, found.operator.delay);
    await controls.tell(
      { source, next: state.next, watermark, idle: false },
      current().fedBy(stage),
      performance.now(),
    );
  }

  close(): void {
    this.options.rows.end();
  }

  private positionsOf(run: CurrentRun, saved: string): FeederPositions {
    const feeders = run.stage(this.options.stage) ? run.feedersOf(this.options.stage) : [];
    this.known = feeders.join();
    return new FeederPositions(feeders, saved === '' ? undefined : saved);
  }

  private async takeStretch(
    arrivals: readonly Arrival[],
    { run, stage, next }: { run: CurrentRun; stage: KeyedStage; next: number },
  ): Promise<{ counts: Readonly<Counts>; changed: boolean }> {
    const { emitter, state, now, turn } = this.options;
    if (run.feedersOf(stage.id).join() !== this.known)
      this.positions = this.positionsOf(run, this.positions.save());
    const outgoing = new Outgoing({
      ...{ run: run.label, source: this.source, now },
      topicOf: (to) => run.topicOf(to),
    });
    const work: Work = { run, stage, outgoing, results: [], closed: false, before: state.next };
    const done = await turn();
    try {
      state.ended.throwIfAborted();
      await this.compute(arrivals, work);
    } finally {
      done();
    }
    await emitter.write(outgoing, run.label, state.ended);
    state.ended.throwIfAborted();
    const { letters, counts } = outgoing;
    state.done({
      ...{ next, letters, counts, watermark: this.positions.watermark, state: this.positions.save() },
      timestamp: arrivals.at(-1)?.record.timestamp,
    });
    return { counts, changed: work.closed || arrivals.some(({ read }) => !read?.control) };
  }

  private async compute(arrivals: readonly Arrival[], work: Work): Promise<void> {
    const { rows } = this.options;
    await rows.fetch(new Set(arrivals.flatMap(({ names }) => names)), work.before);
    this.state.ended.throwIfAborted();
    for (const arrival of arrivals) {
      // A window closes because the watermark has moved: what comes of it carries it as it was before.
      const before = passedOn(this.positions.watermark, work.stage.operator.delay);
      const cause: Cause = { offset: arrival.record.offset, watermark: before };
      if (!this.admit(arrival, work)) continue;
      const { watermark } = this.positions;
      if (rows.isDue(watermark)) await this.closeDue(watermark, work, cause);
      else rows.passTo(watermark);
      if (arrival.read?.forwarded) this.add(arrival, arrival.read, work);
      if (work.results.length >= mostResults) await this.runResults(work);
    }
    await this.runResults(work);
  }

  /** False for a repetition, and for what nobody here has written. */
  private admit({ record, read }: Arrival, { run, stage, outgoing }: Work): boolean {
    if (!read) {
      outgoing.counts.failed++;
      outgoing.addLetter(unreadableLetter(run.label, record, { at: stage.at, now: this.options.now() }));
      return false;
    }
    if (read.control) this.positions.control(read.control);
    return read.forwarded ? this.positions.take(read.forwarded) : true;
  }

  private add(
    { record, names }: Arrival,
    { key, forwarded }: { key: string; forwarded: ForwardedEvent },
    work: Work,
  ): void {
    const { rows } = this.options;
    const { operator } = work.stage;
    const { flow } = forwarded;
    const watermark: Micros = Math.max(this.positions.watermark, forwarded.watermark);
    const cause: Cause = { offset: record.offset, watermark: passedOn(watermark, operator.delay) };
    let outcome: Outcome | undefined;
    for (const name of names) {
      const step = operator.add(rows.get(name), name, { key, flow, watermark });
      if (step.row) rows.set(name, step.row, { position: record.offset, weight: record.value?.length ?? 0 });
      outcome ??= step.outcome;
      for (const result of step.results) work.results.push({ ...cause, flow: result });
    }
    if (outcome) work.outgoing.add([outcome], cause);
  }

  private async closeDue(watermark: Micros, work: Work, cause: Cause): Promise<void> {
    const { rows } = this.options;
    const { operator } = work.stage;
    for await (const names of rows.due(watermark, work.before)) {
      this.state.ended.throwIfAborted();
      work.closed ||= names.length > 0;
      for (const name of names) {
        const before = rows.get(name);
        if (!before) continue;
        const { row, results } = operator.close(before, name, watermark);
        if (row) rows.set(name, row, { position: cause.offset, weight: 0 });
        else rows.close(name);
        for (const flow of results) work.results.push({ ...cause, flow });
      }
      await this.runResults(work);
    }
  }

  private async runResults(work: Work): Promise<void> {
    const { run, stage, outgoing, results } = work;
    if (results.length === 0) return;
    work.results = [];
    for (const { input, outcomes } of await runChain(stage.chain, results, this.options.load))
      outgoing.add(outcomes, input);
    // It comes again with the same ids, should the stretch not be done.
    if (outgoing.size >= mostWaiting)
      await this.options.emitter.append(outgoing, run.label, this.state.ended);
  }
}

/** As many records as make a stretch. */
function stretchFrom(records: readonly LogRecord[], from: number, { operator }: KeyedStage): Arrival[] {
  const arrivals: Arrival[] = [];
  let rows = 0;
  for (let at = from; at < records.length && arrivals.length < stretchRecords && rows < stretchRows; at++) {
    const record = records[at]!;
    const read = readStageRecord(record);
    const names = read?.forwarded ? operator.rowsOf(read.key, read.forwarded.flow.event.timestamp) : [];
    rows += names.length;
    arrivals.push({ record, read, names });
  }
  return arrivals;
}
