import { Turn } from '#async';
import type { Chain } from '#dataflow';
import type { JobLabel } from '../output/emitted-record.js';
import { lookUp, sizeOf, type Input } from '../lookups/look-up.js';
import type { Cause, OutputBuffer } from '../output/output-buffer.js';
import type { TaskParts } from './task.js';

/**
 * Records that may wait to be written, and about how many characters of each kind: a `flat_map` alone can make 16 MiB
 * of one event.
 */
const [mostRecords, mostWeight] = [5000, 4 * 1024 * 1024];

type Parts = Pick<TaskParts, 'sink' | 'load' | 'saveDeadLetters' | 'permit'> & {
  state: { readonly ended: AbortSignal };
};

/**
 * Computes one batch and writes what it leads to: at its end, and before, whenever too much of it waits. What is
 * written comes again with the same ids, should the batch not be done.
 */
export class BatchComputation {
  private readonly turn = new Turn();
  private leave: () => void = () => undefined;

  constructor(
    readonly output: OutputBuffer,
    readonly run: JobLabel,
    private readonly parts: Parts,
  ) {}

  /** Computes the batch with a permit, then writes it; the last letters are left. @throws the signal's reason */
  async compute(batch: () => Promise<void>): Promise<void> {
    const { sink, state } = this.parts;
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
   * Runs a chain over events of the batch, in their order: each when it is asked for, so that what became of the one
   * before may be written and forgotten by then. Undefined is a record without one.
   */
  async take(chain: Chain, inputs: Iterable<(Input & Cause) | undefined>): Promise<void> {
    const { output, turn } = this;
    const ready = await lookUp(chain, inputs, { load: this.parts.load, turn });
    for (const input of ready.inputs) {
      if (this.isOver(sizeOf(input))) await this.giveWay();
      if (!input) continue;
      for (const outcome of chain.run(input.flow, ready.tables)) {
        output.add(outcome, input);
        if (this.isTooMuch) await this.relieve();
      }
    }
  }

  /** Whether it is time to `giveWay`, between two pieces of work. */
  isOver(size: number): boolean {
    return this.turn.over(size);
  }

  /** Other work of the process goes on meanwhile. @throws the signal's reason */
  async giveWay(): Promise<void> {
    await this.turn.end();
    this.parts.state.ended.throwIfAborted();
  }

  private get isTooMuch(): boolean {
    const { size, weight } = this.output;
    const { records, deliveries, letters } = weight;
    return size >= mostRecords || records >= mostWeight || deliveries >= mostWeight || letters >= mostWeight;
  }

  private async relieve(): Promise<void> {
    const { output, run } = this;
    const { sink, state, saveDeadLetters } = this.parts;
    if (output.weight.deliveries >= mostWeight) await this.deliver();
    else await sink.append(output, run, state.ended);
    await saveDeadLetters(output.takeLetters());
  }

  private async enter(): Promise<void> {
    this.leave = await this.parts.permit();
    this.parts.state.ended.throwIfAborted();
  }

  /** A receiver may be slow: others compute meanwhile. */
  private async deliver(): Promise<void> {
    this.leave();
    await this.parts.sink.write(this.output, this.run, this.parts.state.ended);
    await this.enter();
  }
}
