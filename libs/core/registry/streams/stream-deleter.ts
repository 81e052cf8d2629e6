import { streamNameOf, type StreamId } from '#event';
import { erasureName } from '../erasures/erasure-kind.js';
import type { Actor } from '../resources/resource-store.js';
import type { StreamOperationDependencies } from './stream-creator.js';
import { requireStream, visibleStream, type StreamDefinition } from './stream-definition.js';
import { rejectReservedName, streamProblem } from './stream-problems.js';

/** A function that removes all rows of the stream with this id from the store. */
export type RemoveStreamRows = (id: StreamId) => Promise<void>;

/** The most erasures that are removed concurrently. */
const erasuresAtOnce = 16;

/**
 * Deletes streams. Each step of a deletion refers to the stream's id, so that several processes may run the step
 * concurrently or much later.
 */
export class StreamDeleter {
  private readonly running = new Map<StreamId, Promise<void>>();

  constructor(private readonly dependencies: StreamOperationDependencies) {}

  /** Sets the state of the stream to `deleting`: from now on, nobody can write to the stream or read it. */
  async begin(name: string, actor: Actor): Promise<StreamDefinition> {
    rejectReservedName(name);
    const begun = (current: StreamDefinition | undefined): StreamDefinition => {
      const stream = requireStream(visibleStream(current), name);
      return stream.state === 'deleting' ? stream : { ...stream, state: 'deleting' };
    };
    const { value } = await this.dependencies.streams.change(name, begun, actor);
    return requireStream(value, name);
  }

  /** Deletes the stream that has this name now. Concurrent calls share one deletion of the stream. */
  async delete(name: string, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    rejectReservedName(name);
    try {
      await this.dependencies.upToDate();
      const { id } = await this.begin(name, actor);
      await this.finish(id, removeRows, actor);
    } catch (error) {
      throw streamProblem(error, name);
    }
  }

  /**
   * Finishes the deletion of the stream with this id, which has begun. Does nothing if the stream is not being deleted,
   * for example because another process has finished.
   */
  finish(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    let deletion = this.running.get(id);
    if (!deletion) {
      deletion = this.finishOnce(id, removeRows, actor).finally(() => this.running.delete(id));
      this.running.set(id, deletion);
    }
    return deletion;
  }

  private async finishOnce(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    const { log, names, streams, upToDate } = this.dependencies;
    const name = streamNameOf(id);
    await upToDate();
    const current = streams.get(name);
    if (current?.id !== id || current.state !== 'deleting') return;
    await log.admin.remove(names.ofStream(id));
    await removeRows(id);
    // Erasures apply as long as rows or records of their stream may exist, so they are removed after these.
    await this.removeErasures(id, actor);
    await streams.change(name, (now) => (now?.id === id ? undefined : now), actor);
  }

  private async removeErasures(id: StreamId, actor: Actor): Promise<void> {
    const { erasures } = this.dependencies;
    const left = erasures
      .all()
      .filter(({ stream }) => stream === id)
      .values();
    const worker = async (): Promise<void> => {
      for (const erasure of left) await erasures.change(erasureName(erasure), () => undefined, actor);
    };
    await Promise.all(Array.from({ length: erasuresAtOnce }, worker));
  }
}
