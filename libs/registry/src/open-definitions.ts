import type { StreamId, TopicAndGroupNames } from '#event';
import type { Log } from '#kafka';
import { onScrape } from '#telemetry';
import type { AuditEventContent } from './audit/audit-event.js';
import { AuditWriter } from './audit/audit-writer.js';
import type { Definitions } from './definitions.js';
import type { DefinitionsView } from './definitions-view.js';
import type { Erasure } from './erasures/erasure.js';
import type { ApiKeyDefinition } from './keys/api-key-definition.js';
import type { Actor } from './resources/resource-store.js';
import type { ResourceView } from './resources/resource-view.js';
import { LogResourceStore } from './changes/log-resource-store.js';
import type { PipelineDefinition } from './pipelines/pipeline-definition.js';
import type { ProjectionDefinition } from './projections/projection-definition.js';
import type { SchemaRecordContent } from './schemas/schema-rules.js';
import type { SchemaSubject } from './schemas/schema-subject.js';
import { changeStream } from './streams/change-stream.js';
import { StreamDeletionService } from './streams/stream-deletion-service.js';
import type { StreamDefinition } from './streams/stream-definition.js';
import type {
  StreamCreationResult,
  CreateStreamRequest,
  RemoveStreamRows,
} from './streams/create-stream-request.js';
import { StreamCreationService } from './streams/stream-creation-service.js';
import { visibleStream } from './streams/stream-rules.js';
import type { StreamOperationDependencies } from './streams/stream-operation-dependencies.js';
import { DefinitionsTopicFollower } from './definitions-topic-follower.js';
import { definitionsTopic, DefinitionsTopicWriter } from './changes/definitions-topic-writer.js';
import { KeyedMutex } from './changes/keyed-mutex.js';
import { definitionsAgeSeconds, definitionsUnreadable } from './definitions-metrics.js';

/** Log, topic names, defaults and limits of `openDefinitions`. */
export interface DefinitionsOptions {
  log: Log;
  names: TopicAndGroupNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  /** Maximum number of definitions, by kind; default: the limit in the rules of the kind. */
  most?: Readonly<Record<string, number>>;
  /** Maximum size of all records of one kind of definition, in bytes; default: 128 MiB. */
  mostBytes?: number;
}

/** Longest time, in milliseconds, that a change waits until the view contains the record that it has written. */
const viewTimeoutMs = 10_000;
const mostBytes = 128 * 1024 * 1024;
/** The most changes that one process may run at a time, including waiting ones. */
const maxChanges = 2_000;

/** Returns the definitions of one installation. The definitions topic is not read before the call of `start`. */
export function openDefinitions(options: DefinitionsOptions): Definitions {
  return new LogDefinitions(options);
}

class LogDefinitions implements Definitions {
  private readonly follower: DefinitionsTopicFollower;
  private readonly writer: DefinitionsTopicWriter;
  private readonly trail: AuditWriter;
  private readonly turns = new KeyedMutex(maxChanges);
  private readonly streamParts: StreamOperationDependencies;
  private readonly creations: StreamCreationService;
  private readonly deletions: StreamDeletionService;
  private endShowing: (() => void) | undefined;
  readonly schemas: LogResourceStore<SchemaSubject, SchemaRecordContent>;
  readonly keys: LogResourceStore<ApiKeyDefinition>;
  readonly erasures: LogResourceStore<Erasure>;
  readonly projections: LogResourceStore<ProjectionDefinition>;
  readonly pipelines: LogResourceStore<PipelineDefinition>;

  constructor(private readonly options: DefinitionsOptions) {
    const { log, names, defaults } = options;
    this.follower = new DefinitionsTopicFollower(log, names.definitions);
    this.writer = new DefinitionsTopicWriter(log, names);
    this.trail = new AuditWriter({
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
    this.creations = new StreamCreationService(this.streamParts);
    this.deletions = new StreamDeletionService(this.streamParts);
    this.schemas = this.kind((view) => view.schemas);
    this.keys = this.kind((view) => view.keys);
    this.projections = this.kind((view) => view.projections);
    this.pipelines = this.kind((view) => view.pipelines);
  }

  private kind<T, P>(foldOf: (view: DefinitionsView) => ResourceView<T, P>): LogResourceStore<T, P> {
    const { rules } = foldOf(this.follower.view);
    return new LogResourceStore({
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
      definitionsAgeSeconds.set(this.ageMs / 1000);
      definitionsUnreadable.set(this.unreadable);
    });
    const { log, names } = this.options;
    await log.admin.create(names.definitions, definitionsTopic);
    await this.follower.start();
  }

  stream(name: string): StreamDefinition | undefined {
    return visibleStream(this.follower.view.streams.get(name));
  }

  streams(): StreamDefinition[] {
    return this.follower.view.streams.all().filter(visibleStream);
  }

  createStream(wanted: CreateStreamRequest, actor: Actor): Promise<StreamCreationResult> {
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

  deleteStream(name: string, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deletions.run(name, { removeRows, actor });
  }

  finishDeletion(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deletions.finish(id, { removeRows, actor });
  }

  audit(entry: AuditEventContent, actor: Actor): Promise<void> {
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
