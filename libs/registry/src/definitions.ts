import type { StreamId } from '#event';
import type { AuditEntry } from './audit/audit-event.js';
import type { Erasure } from './erasures/erasure.js';
import type { KeyDefinition } from './keys/key-definition.js';
import type { Actor, Kind } from './kind/kind.js';
import type { PipelineDefinition } from './pipelines/pipeline-definition.js';
import type { ProjectionDefinition } from './projections/projection-definition.js';
import type { SchemaSubject } from './schemas/schema-subject.js';
import type { CreatedStream, NewStream, RowRemoval } from './streams/new-stream.js';
import type { StreamDefinition } from './streams/stream-definition.js';

/**
 * What everything obeys: streams, schemas, keys, erasures, projections, pipelines. The truth is one compacted
 * Kafka topic; every process folds it into a view in memory. Every change is an event in the stream `tributary.audit`
 * before its call resolves; where that cannot be written, the call rejects with log_unavailable, and the change holds.
 */
export interface Definitions {
  /** Resolves when the view is complete up to what was in the topic at the call. */
  start(): Promise<void>;

  /** Also one that is being deleted: look at its `state`. */
  stream(name: string): StreamDefinition | undefined;
  /** Those that are being deleted among them, and the system's own. */
  streams(): StreamDefinition[];
  /**
   * Decides the stream's id, makes the topic and announces the stream; resolves when this process's view has it. Of two
   * creators the first in the log's order wins, the second gets the winner's definition (`created: false`).
   * @throws ProblemError stream_name_collision, stream_limit_reached, stream_reserved, stream_being_deleted,
   * log_unavailable
   */
  createStream(stream: NewStream, actor: Actor): Promise<CreatedStream>;
  /**
   * Changes the retention of a stream, and with it the settings of its topic. The other members that `next` returns are
   * not looked at. Repeating it makes up for a topic that could not be reached.
   * @throws ProblemError stream_not_found, stream_reserved, stream_being_deleted, log_unavailable
   */
  changeStream(
    name: string,
    next: (current: StreamDefinition) => StreamDefinition,
    actor: Actor,
  ): Promise<StreamDefinition>;
  /**
   * The first phase of a deletion: nothing may be written to the stream from now on, and nobody may see it.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable
   */
  beginDeletion(name: string, actor: Actor): Promise<StreamDefinition>;
  /**
   * Deletes a stream: begins, or goes on with what somebody has left; removes its topic, then has its rows removed, then
   * removes the definition, and the name may be used again. Where a step fails, repeat. Several processes may be at it.
   * Its erasures end with it.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable, and what `removeRows` throws
   */
  deleteStream(name: string, removeRows: RowRemoval, actor: Actor): Promise<void>;
  /** Finishes a deletion that somebody has begun and left. Does nothing where this stream is not being deleted any more. */
  finishDeletion(id: StreamId, removeRows: RowRemoval, actor: Actor): Promise<void>;

  /** By `schemaName(stream, event_type)`. */
  readonly schemas: Kind<SchemaSubject>;
  /** By key id. */
  readonly keys: Kind<KeyDefinition>;
  /** By `erasureName(stream, entity_hash)`. */
  readonly erasures: Kind<Erasure>;
  /** By name. */
  readonly projections: Kind<ProjectionDefinition>;
  /** By name. */
  readonly pipelines: Kind<PipelineDefinition>;

  /** Appends to the audit what is no change of a definition. @throws ProblemError log_unavailable */
  audit(entry: AuditEntry, actor: Actor): Promise<void>;

  /** Called after each change of the view; returns what removes the listener. */
  onChange(listener: () => void): () => void;
  /** Records of the topic that could not be read, so far. */
  readonly unreadable: number;
  /**
   * Why the view is not kept up to date at the moment; undefined while it is. What it had is still served, and a fresh
   * reader is tried again and again; `start` tries at once.
   */
  readonly failure: Error | undefined;
  /**
   * Milliseconds since the log last said what there is: the view may lack what was changed since. Half a second at most
   * while all is well, growing while the log cannot be reached; infinite before the first answer.
   */
  readonly ageMs: number;
  close(): Promise<void>;
}
