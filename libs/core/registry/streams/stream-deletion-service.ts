import { streamNameOf, type StreamId } from '#event';
import { removeErasures } from '../erasures/remove-erasures.js';
import type { Actor } from '../resources/resource-store.js';
import type { RemoveStreamRows } from './stream-creation-result.js';
import { rejectReservedName } from './reserved-names.js';
import type { StreamDefinition } from './stream-definition.js';
import { visibleStream } from './stream-rules.js';
import { requireStream, streamProblem } from './stream-problems.js';
import type { StreamOperationDependencies } from './stream-operation-dependencies.js';

type Current = StreamDefinition | undefined;

/** Parameters of the deletion of a stream: the function that removes the stream's rows, and the actor for the audit. */
interface StreamDeletionContext {
  removeRows: RemoveStreamRows;
  actor: Actor;
}

/**
 * Deletes streams. Each step of a deletion refers to the stream's id, so that several processes may run the step
 * concurrently or much later.
 */
export class StreamDeletionService {
  private readonly running = new Map<StreamId, Promise<void>>();

  constructor(private readonly dependencies: StreamOperationDependencies) {}

  /**
   * Begins the deletion of the stream by setting its state to `deleting`: from now on, nobody can write to the stream
   * or read it.
   */
  async begin(name: string, actor: Actor): Promise<StreamDefinition> {
    rejectReservedName(name);
    const begun = (current: Current): StreamDefinition => {
      const stream = requireStream(visibleStream(current), name);
      return stream.state === 'deleting' ? stream : { ...stream, state: 'deleting' };
    };
    const { value } = await this.dependencies.kind.change(name, begun, actor);
    return requireStream(value, name);
  }

  /**
   * Deletes the stream that has this name now. Concurrent calls share one deletion of the stream.
   * @throws ProblemError 404 `stream_not_found`, 403 `stream_reserved`, 503
   */
  async run(name: string, deletion: StreamDeletionContext): Promise<void> {
    rejectReservedName(name);
    try {
      await this.dependencies.upToDate();
      const { id } = await this.begin(name, deletion.actor);
      await this.finish(id, deletion);
    } catch (error) {
      throw streamProblem(error, name);
    }
  }

  /**
   * Finishes the deletion of the stream with this id, which has begun. Does nothing if the stream is not being deleted,
   * for example because another process has finished.
   */
  finish(id: StreamId, deletion: StreamDeletionContext): Promise<void> {
    let run = this.running.get(id);
    if (!run) {
      run = this.finishOnce(id, deletion).finally(() => this.running.delete(id));
      this.running.set(id, run);
    }
    return run;
  }

  private async finishOnce(id: StreamId, { removeRows, actor }: StreamDeletionContext): Promise<void> {
    const { log, names, erasures, kind, upToDate } = this.dependencies;
    const name = streamNameOf(id);
    await upToDate();
    const current = kind.get(name);
    if (current?.id !== id || current.state !== 'deleting') return;
    await log.admin.remove(names.ofStream(id));
    await removeRows(id);
    // The erasures of a stream apply as long as rows or records of the stream may exist, so they are removed after
    // these.
    await removeErasures(erasures, id, actor);
    await kind.change(name, (now) => (now?.id === id ? undefined : now), actor);
  }
}
