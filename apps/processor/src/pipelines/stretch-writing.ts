import type { Chain } from '#dataflow';
import type { RunLabel } from './emitted-record.js';
import type { Cause, Outgoing } from './outgoing.js';
import { runChain, type Input } from './run-chain.js';
import type { TaskParts } from './task.js';

/** Records that may wait to be written, and about how many characters of each kind: a `flat_map` alone can make 16 MiB of one event. */
const [mostRecords, mostWeight] = [5000, 4 * 1024 * 1024];

type Parts = Pick<TaskParts, 'emitter' | 'load' | 'saveLetters' | 'turn'> & {
  state: { readonly ended: AbortSignal };
};

/**
 * Computes one stretch and writes what it leads to: at its end, and before, whenever too much of it waits. What is written
 * comes again with the same ids, should the stretch not be done.
 */
export class StretchWriting {
  private leave: () => void = () => undefined;

  constructor(
    readonly outgoing: Outgoing,
    readonly run: RunLabel,
    private readonly parts: Parts,
  ) {}

  /** Resolves when it is computed, in a turn, and written; the last letters are left. @throws the signal's reason */
  async compute(stretch: () => Promise<void>): Promise<void> {
    const { emitter, state } = this.parts;
    try {
      await this.enter();
      await stretch();
    } finally {
      this.leave();
    }
    await emitter.write(this.outgoing, this.run, state.ended);
    state.ended.throwIfAborted();
  }

  /** Runs a chain over events of the stretch, in their order. */
  async take(chain: Chain, inputs: Iterable<Input & Cause>): Promise<void> {
    const { outgoing } = this;
    for (const { input, outcomes } of await runChain(chain, inputs, this.parts.load))
      for (const outcome of outcomes) {
        outgoing.add(outcome, input);
        if (this.isTooMuch) await this.relieve();
      }
  }

  private get isTooMuch(): boolean {
    const { size, weight } = this.outgoing;
    const { records, deliveries, letters } = weight;
    return size >= mostRecords || records >= mostWeight || deliveries >= mostWeight || letters >= mostWeight;
  }

  private async relieve(): Promise<void> {
    const { outgoing, run } = this;
    const { emitter, state, saveLetters } = this.parts;
    if (outgoing.weight.deliveries >= mostWeight) await this.deliver();
    else await emitter.append(outgoing, run, state.ended);
    await saveLetters(outgoing.takeLetters());
  }

  private async enter(): Promise<void> {
    this.leave = await this.parts.turn();
    this.parts.state.ended.throwIfAborted();
  }

  /** A receiver may be slow: others compute meanwhile. */
  private async deliver(): Promise<void> {
    this.leave();
    await this.parts.emitter.write(this.outgoing, this.run, this.parts.state.ended);
    await this.enter();
  }
}
