import type { StreamId, TopicNames } from '#event';
import type { Log } from '#log';
import { metrics, onScrape } from '#telemetry';
import type { AuditEntry } from './audit/audit-event.js';
import { AuditTrail } from './audit/audit-trail.js';
import type { Definitions } from './definitions.js';
import type { DefinitionsView } from './definitions-view.js';
import type { Erasure } from './erasures/erasure.js';
import type { KeyDefinition } from './keys/key-definition.js';
import type { Actor } from './kind/kind.js';
import type { KindFold } from './kind/kind-fold.js';
import { LogKind } from './changes/log-kind.js';
import type { PipelineDefinition } from './pipelines/pipeline-definition.js';
import type { ProjectionDefinition } from './projections/projection-definition.js';
import type { SchemaPart } from './schemas/schema-rules.js';
import type { SchemaSubject } from './schemas/schema-subject.js';
import { changeStream } from './streams/change-stream.js';
import { StreamDeletions } from './streams/delete-stream.js';
import type { StreamDefinition } from './streams/stream-definition.js';
import type { CreatedStream, NewStream, RowRemoval } from './streams/new-stream.js';
import { StreamCreations } from './streams/stream-creations.js';
import { announced } from './streams/stream-rules.js';
import type { StreamParts } from './streams/stream-parts.js';
import { TopicFollower } from './topic-follower.js';
import { definitionsTopic, TopicWriter } from './changes/topic-writer.js';
import { Turns } from './changes/turns.js';

export interface DefinitionsOptions {
  log: Log;
  names: TopicNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  /** The most definitions, by kind; default: the limit in the kind's rules. */
  most?: Readonly<Record<string, number>>;
  /** The most bytes of the records of one kind; default: 128 MiB. */
  mostBytes?: number;
}

/** Milliseconds to wait until the view has a record that this process has written. */
const viewTimeoutMs = 10_000;
const mostBytes = 128 * 1024 * 1024;
/** The most changes that one process may run at a time, including waiting ones. */
const maxChanges = 2_000;

/** Opens the definitions of one installation. Nothing is read before the call of `start`. */
export function openDefinitions(options: DefinitionsOptions): Definitions {
  return new LogDefinitions(options);
}

class LogDefinitions implements Definitions {
  private readonly follower: TopicFollower;
  private readonly writer: TopicWriter;
  private readonly trail: AuditTrail;
  private readonly turns = new Turns(maxChanges);
  private readonly streamParts: StreamParts;
  private readonly creations: StreamCreations;
  private readonly deletions: StreamDeletions;
  private endShowing: (() => void) | undefined;
  readonly schemas: LogKind<SchemaSubject, SchemaPart>;
  readonly keys: LogKind<KeyDefinition>;
  readonly erasures: LogKind<Erasure>;
  readonly projections: LogKind<ProjectionDefinition>;
  readonly pipelines: LogKind<PipelineDefinition>;

  constructor(private readonly options: DefinitionsOptions) {
    const { log, names, defaults } = options;
    this.follower = new TopicFollower(log, names.definitions);
    this.writer = new TopicWriter(log, names);
    this.trail = new AuditTrail({
      names,
      producer: () => this.writer.producer(),
      stream: () => this.creations.audit(),
    });
    this.erasures = this.kind((view) => view.erasures);
    this.streamParts = {
      ...{ log, names, defaults },
      kind: this.kind((view) => view.streams),
      erasures: this.erasures,
      upToDate: () => this.follower.start(),
    };
    this.creations = new StreamCreations(this.streamParts);
    this.deletions = new StreamDeletions(this.streamParts);
    this.schemas = this.kind((view) => view.schemas);
    this.keys = this.kind((view) => view.keys);
    this.projections = this.kind((view) => view.projections);
    this.pipelines = this.kind((view) => view.pipelines);
  }

  private kind<T, P>(foldOf: (view: DefinitionsView) => KindFold<T, P>): LogKind<T, P> {
    const { rules } = foldOf(this.follower.view);
    return new LogKind({
      rules,
      fold: () => foldOf(this.follower.view),
      writer: this.writer,
      audit: this.trail,
      turns: this.turns,
      most: this.options.most?.[rules.kind] ?? rules.most,
      mostBytes: this.options.mostBytes ?? mostBytes,
      caughtUp: (offset) => this.follower.caughtUp(offset, viewTimeoutMs),
    });
  }

  async start(): Promise<void> {
    this.endShowing ??= onScrape(() => {
      metrics.definitionsAge.set(this.ageMs / 1000);
      metrics.definitionsUnreadable.set(this.unreadable);
    });
    const { log, names } = this.options;
    await log.admin.create(names.definitions, definitionsTopic);
    await this.follower.start();
  }

  stream(name: string): StreamDefinition | undefined {
    return announced(this.follower.view.streams.get(name));
  }

  streams(): StreamDefinition[] {
    return this.follower.view.streams.all().filter(announced);
  }

  createStream(wanted: NewStream, actor: Actor): Promise<CreatedStream> {
    return this.creations.create(wanted, actor);
  }

  changeStream(
    name: string,
    next: (current: StreamDefinition) => StreamDefinition,
    actor: Actor,
  ): Promise<StreamDefinition> {
    return changeStream(this.streamParts, { name, next }, actor);
  }

  beginDeletion(name: string, actor: Actor): Promise<StreamDefinition> {
    return this.deletions.begin(name, actor);
  }

  deleteStream(name: string, removeRows: RowRemoval, actor: Actor): Promise<void> {
    return this.deletions.run(name, { removeRows, actor });
  }

  finishDeletion(id: StreamId, removeRows: RowRemoval, actor: Actor): Promise<void> {
    return this.deletions.finish(id, { removeRows, actor });
  }

  audit(entry: AuditEntry, actor: Actor): Promise<void> {
    return this.trail.note(entry, actor);
  }

  onChange(listener: () => void): () => void {
    return this.follower.onChange(listener);
  }

  get unreadable(): number {
    return this.follower.view.unreadable;
  }

  get failure(): Error | undefined {
    return this.follower.failure;
  }

  get ageMs(): number {
    return this.follower.ageMs;
  }

  async close(): Promise<void> {
    this.endShowing?.();
    await this.creations.over();
    await this.turns.over();
    await this.follower.close();
    await this.writer.close();
  }
}
