import type { StreamInput } from '#api';
import type { StreamId } from '#event';
import type { AuditEventContent } from './audit/audit-event.js';
import type { Actor, ResourceStores } from './resources/resource-store.js';
import type { StreamCreationResult, RemoveStreamRows } from './streams/stream-creation-result.js';
import type { StreamDefinition } from './streams/stream-definition.js';

/**
 * The definitions of an installation: streams, and a store for each other kind that the process knows. Definitions are
 * stored in one compacted Kafka topic; every process keeps a materialized view of it in memory. Before the call of a change
 * resolves, the change is written as an event to the stream `tributary.audit`. If that event cannot be written, the
 * call rejects with log_unavailable, although the change is in effect.
 */
export interface Definitions extends ResourceStores {
  /**
   * Starts to read the definitions topic. Resolves when the view contains every record that was in the topic at the
   * time of the call.
   */
  start(): Promise<void>;

  /**
   * Returns the definition of the stream with this name, also while the stream is being deleted: check its `state`.
   * Returns undefined while it is being created.
   */
  stream(name: string): StreamDefinition | undefined;
  /**
   * Returns the definitions of all streams, including streams that are being deleted and reserved streams such as the
   * audit stream.
   */
  streams(): StreamDefinition[];
  /**
   * Chooses the stream's id, creates its topic and announces the stream. Resolves when this process's view has the
   * stream. If several callers create it at once, the first in the order of the log wins, and the others receive its
   * definition with `created: false`.
   * @throws ProblemError stream_name_collision, stream_limit_reached, stream_reserved, stream_being_deleted,
   * log_unavailable
   */
  createStream(stream: StreamInput, actor: Actor): Promise<StreamCreationResult>;
  /**
   * Changes the retention or `snapshot_every` of a stream, and the settings of its topic. Other members of the result
   * of `next` are ignored. A repeated call applies settings that could not be applied to the topic before.
   * @throws ProblemError stream_not_found, stream_reserved, stream_being_deleted, log_unavailable
   */
  changeStream(
    name: string,
    next: (current: StreamDefinition) => StreamDefinition,
    actor: Actor,
  ): Promise<StreamDefinition>;
  /**
   * Starts the first phase of a deletion: from now on, nobody can write to the stream or read it.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable
   */
  beginDeletion(name: string, actor: Actor): Promise<StreamDefinition>;
  /**
   * Deletes a stream, or continues a deletion that another process has begun. The deletion removes the topic, then the
   * stream's rows, then its erasures, then the definition; the name is free after that. If a step fails, the caller can
   * repeat the call. Several processes may delete the same stream at once.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable, and any error of `removeRows`
   */
  deleteStream(name: string, removeRows: RemoveStreamRows, actor: Actor): Promise<void>;
  /**
   * Finishes the deletion of the stream with this id, which has begun. Does nothing if this stream is not being
   * deleted.
   */
  finishDeletion(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void>;

  /**
   * Returns the number of definitions whose work has failed, by the name of their store, for each kind that has such
   * definitions.
   */
  failed(): Readonly<Record<string, number>>;

  /**
   * Appends an event to the audit stream that does not report the change of a definition, such as a finished erasure.
   * @throws ProblemError log_unavailable
   */
  audit(entry: AuditEventContent, actor: Actor): Promise<void>;

  /**
   * Adds a listener that is called after each change of this process's view of the definitions. Returns a function that
   * removes the listener.
   */
  onChange(listener: () => void): () => void;
  /** Number of records of the definitions topic that this process could not read. */
  readonly unreadable: number;
  /**
   * The error that stopped the reader of the definitions topic; undefined while it works. Reads are still answered from
   * the last view; new readers are tried in the background, and `start` tries one at once.
   */
  readonly failure: Error | undefined;
  /**
   * Milliseconds since Kafka last answered a read of the definitions topic: later changes may be missing from the view.
   * Normally it is at most 500; it grows while Kafka cannot be reached, and is Infinity before the first answer.
   */
  readonly ageMs: number;
  close(): Promise<void>;
}
