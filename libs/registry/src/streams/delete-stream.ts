import { randomUUID } from 'node:crypto';
import { formatTime, parseTime } from '#event';
import { forgetErasures } from '../erasures/forget-erasures.js';
import type { Actor } from '../kind.js';
import type { RowRemoval } from '../definitions.js';
import { refuseReserved } from './reserved-names.js';
import type { StreamDefinition } from './stream-definition.js';
import { beingDeleted, foundStream, streamProblem } from './stream-problems.js';
import type { StreamParts } from './stream-parts.js';

type Current = StreamDefinition | undefined;

/** What is asked for: the stream, what removes its rows, and by whom. */
export interface Deletion {
  name: string;
  removeRows: RowRemoval;
  actor: Actor;
}

/**
 * Deletes streams. One process at a time works on one, and says so again and again: what a second one was still
 * removing when the first has finished could belong to the next stream of that name.
 */
export class StreamDeletions {
  private readonly worker = randomUUID();
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly parts: StreamParts) {}

  /** The first phase alone: from now on nobody writes to it or sees it. */
  async begin(name: string, actor: Actor): Promise<StreamDefinition> {
    refuseReserved(name);
    const begun = (current: Current): StreamDefinition => {
      const stream = foundStream(current, name);
      return stream.state === 'deleting' ? stream : { ...stream, state: 'deleting' };
    };
    const { value } = await this.parts.kind.change(name, begun, actor);
    return foundStream(value, name);
  }

  /** All of it; calls at the same time share one. */
  async run(deletion: Deletion): Promise<void> {
    const { name } = deletion;
    refuseReserved(name);
    let run = this.running.get(name);
    if (!run) {
      run = this.runOnce(deletion).finally(() => this.running.delete(name));
      this.running.set(name, run);
    }
    await run;
  }

  private async runOnce(deletion: Deletion): Promise<void> {
    try {
      await this.parts.upToDate();
      await this.take(deletion);
      await this.remove(deletion);
      const gone = (current: Current): undefined => void this.requireOwn(current, deletion.name);
      await this.parts.kind.change(deletion.name, gone, deletion.actor);
    } catch (error) {
      throw streamProblem(error, deletion.name);
    }
  }

  private async remove(deletion: Deletion): Promise<void> {
    const { log, names, erasures, deletionLeaseMs } = this.parts;
    const renewal = setInterval(() => void this.renew(deletion), deletionLeaseMs / 3).unref();
    try {
      await log.admin.remove(names.ofStream(deletion.name));
      // It may have taken so long that somebody else goes on.
      const before = Date.now() + deletionLeaseMs / 2;
      const stream = await this.take(deletion);
      await deletion.removeRows(before * 1000);
      // As long as there may be rows or records of it, they are obeyed.
      await forgetErasures(erasures, stream, deletion.actor);
    } catch (error) {
      await this.changeOwn(deletion, (stream) => ({ ...stream, deletion: undefined }));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** @throws ProblemError stream_not_found; stream_being_deleted while another process is at it */
  private async take({ name, actor }: Deletion): Promise<StreamDefinition> {
    const taken = (current: Current): StreamDefinition => {
      const stream = foundStream(current, name);
      const { worker, until } = stream.deletion ?? {};
      const leftMs = (parseTime(until ?? '') ?? 0) / 1000 - Date.now();
      if (worker !== this.worker && leftMs > 0) throw beingDeleted(name, Math.ceil(leftMs / 1000));
      return this.mine(stream);
    };
    const { value } = await this.parts.kind.change(name, taken, actor);
    return foundStream(value, name);
  }

  private mine(stream: StreamDefinition): StreamDefinition {
    const until = formatTime((Date.now() + this.parts.deletionLeaseMs) * 1000);
    return { ...stream, state: 'deleting', deletion: { worker: this.worker, until } };
  }

  private renew(deletion: Deletion): Promise<void> {
    return this.changeOwn(deletion, (stream) => this.mine(stream));
  }

  /** As far as possible: when it fails, others go on sooner or later than they could. */
  private async changeOwn(
    { name, actor }: Deletion,
    next: (stream: StreamDefinition) => StreamDefinition,
  ): Promise<void> {
    const changed = (current: Current): Current => (this.isOwn(current) ? next(current) : current);
    await this.parts.kind.change(name, changed, actor).catch(() => undefined);
  }

  private isOwn(stream: Current): stream is StreamDefinition {
    return stream?.deletion?.worker === this.worker;
  }

  private requireOwn(stream: Current, name: string): void {
    if (!this.isOwn(stream)) throw beingDeleted(name, 1);
  }
}
