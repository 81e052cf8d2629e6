import { TimeSlice } from '#async';
import type { OperatorChain } from '#features/pipelines/computation';
import type { JobIdentity } from '../output/emitted-record.js';
import {
  loadLookups,
  sizeOf,
  type ChainInputEvent,
  type LoadProjectionStates,
} from '../lookups/load-lookups.js';
import { OutputBuffer, type InputRecordContext } from '../output/output-buffer.js';
import type { JobConfiguration } from './job-configuration.js';
import type { StageTaskDependencies } from './stage-task.js';

/**
 * Limits of waiting outputs: the number of records, and the approximate characters of each kind of output. A single
 * `flat_map` can produce 16 MiB from one event.
 */
const [mostRecords, mostWeight] = [5000, 4 * 1024 * 1024];

type BatchComputationDependencies = Pick<
  StageTaskDependencies,
  'sink' | 'load' | 'waitFor' | 'saveDeadLetters' | 'permit'
> & {
  state: { readonly ended: AbortSignal };
};

/**
 * Begins the computation of a batch, with an empty output buffer.
 * @param source Name of the partition, for the records that it repartitions.
 */
export function beginBatch(
  run: JobConfiguration,
  source: string,
  options: StageTaskDependencies,
): BatchComputation {
  const { state, sink, now } = options;
  const output = new OutputBuffer({
    ...{ run: run.label, steps: run.pipeline.steps, source, now, before: state.before },
    topicOf: (stage) => run.topicOf(stage),
    encode: (emit) => sink.encode(emit, run.label),
  });
  return new BatchComputation(output, run.label, options);
}

/**
 * Computes one batch of a partition, and writes the outputs at the end of the batch, and earlier when too many outputs
 * wait. A batch that is not completed is computed again, and its outputs have the same ids.
 */
export class BatchComputation {
  private readonly turn = new TimeSlice();
  private leave: () => void = () => undefined;

  constructor(
    readonly output: OutputBuffer,
    readonly run: JobIdentity,
    private readonly dependencies: BatchComputationDependencies,
  ) {}

  /**
   * Runs the computation of the batch while the partition has a permit, and then writes the outputs. The last dead
   * letters remain in the output buffer, because the checkpoint saves them.
   * @throws the signal's reason
   */
  async compute(batch: () => Promise<void>): Promise<void> {
    const { sink, state } = this.dependencies;
    try {
      await this.enter();
      await batch();
    } finally {
      this.leave();
    }
    await sink.write(this.output, this.run, state.ended);
    state.ended.throwIfAborted();
  }

  /**
   * Runs a chain over the input events in order. The input events are lazy: outputs of earlier events may be written
   * before the next event is read. An undefined input is a record without an event for the pipeline.
   */
  async take(
    chain: OperatorChain,
    inputs: Iterable<(ChainInputEvent & InputRecordContext) | undefined>,
  ): Promise<void> {
    const { output, turn } = this;
    const ready = await loadLookups(chain, inputs, { load: (...args) => this.load(...args), turn });
    for (const input of ready.inputs) {
      if (this.isOver(sizeOf(input))) await this.giveWay();
      if (!input) continue;
      for (const outcome of (input.chain ?? chain).run(input.flow, ready.tables, output.steps)) {
        output.add(outcome, input);
        if (this.isTooMuch) await this.relieve();
      }
    }
  }

  /** Returns whether the caller should call `giveWay` after a piece of work of this size. */
  isOver(size: number): boolean {
    return this.turn.over(size);
  }

  /** Yields to other work of the process. @throws the signal's reason */
  async giveWay(): Promise<void> {
    await this.turn.end();
    this.dependencies.state.ended.throwIfAborted();
  }

  /** Loads answers to lookups. Waits for those as of a time without a permit, so that others can compute meanwhile. */
  private async load(...[lookups, found]: Parameters<LoadProjectionStates>): Promise<void> {
    if (lookups.some(({ asOf }) => asOf !== undefined)) {
      this.leave();
      await this.dependencies.waitFor(lookups);
      await this.enter();
    }
    await this.dependencies.load(lookups, found);
  }

  private get isTooMuch(): boolean {
    const { size, weight } = this.output;
    const { records, deliveries, letters } = weight;
    return size >= mostRecords || records >= mostWeight || deliveries >= mostWeight || letters >= mostWeight;
  }

  private async relieve(): Promise<void> {
    const { output, run } = this;
    const { sink, state, saveDeadLetters } = this.dependencies;
    if (output.weight.deliveries >= mostWeight) await this.deliver();
    else await sink.append(output, run, state.ended);
    await saveDeadLetters(output.takeLetters());
  }

  private async enter(): Promise<void> {
    this.leave = await this.dependencies.permit();
    this.dependencies.state.ended.throwIfAborted();
  }

  /**
   * Writes all outputs without holding a permit, because a webhook receiver may be slow. Other partitions can compute
   * meanwhile.
   */
  private async deliver(): Promise<void> {
    this.leave();
    await this.dependencies.sink.write(this.output, this.run, this.dependencies.state.ended);
    await this.enter();
  }
}
