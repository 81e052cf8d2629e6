import type { SchemaSubject, SchemaVersion } from '#registry';
import type { CompiledSchema } from '#schemas';
import type { ValueScan } from './scan/schema-scanner.js';

/** The two ways to check an event, made of the same schema. */
export interface ReadySchema {
  /** The one that decides. */
  compiled: CompiledSchema;
  /** The one that mostly spares it, where there is one. */
  scan: ValueScan | undefined;
}

/** The schema that the events of one type in one stream have to fit now. */
export interface SubjectInForce {
  readonly subject: SchemaSubject;
  /** The latest one. */
  readonly version: SchemaVersion;
  /** Once an event has needed it, and while it is kept. */
  ready: ReadySchema | undefined;
}

/** Where the index takes the schemas from. */
export interface SchemaSource {
  readonly schemas: { all(): readonly SchemaSubject[] };
  onChange(listener: () => void): () => void;
}

/** The schemas of one stream, by event type. */
interface StreamSchemas {
  stream: string;
  types: Map<string, SubjectInForce>;
}

/**
 * The schemas that are enforced or warned of, by stream and type: two look-ups for an event, one where its stream has no
 * schema. A change of the definitions counts for the next look-up.
 */
export class SchemaIndex {
  private streams = new Map<string, StreamSchemas>();
  /** The events of a request are mostly of one stream. */
  private last: StreamSchemas | undefined;
  private stale = true;

  constructor(private readonly source: SchemaSource) {
    source.onChange(() => (this.stale = true));
  }

  find(stream: string, eventType: string): SubjectInForce | undefined {
    if (this.stale) this.rebuild();
    if (this.last?.stream !== stream) {
      const found = this.streams.get(stream);
      if (!found) return undefined;
      this.last = found;
    }
    return this.last.types.get(eventType);
  }

  /** What has not changed stays the same object: what was made of it stays good. */
  private rebuild(): void {
    const before = this.streams;
    this.streams = new Map();
    this.last = undefined;
    this.stale = false;
    for (const subject of this.source.schemas.all()) {
      const version = subject.versions.at(-1);
      if (subject.retired || subject.mode === 'off' || !version) continue;
      const known = before.get(subject.stream)?.types.get(subject.event_type);
      this.typesOf(subject.stream).set(
        subject.event_type,
        known && known.subject === subject ? known : { subject, version, ready: undefined },
      );
    }
  }

  private typesOf(stream: string): Map<string, SubjectInForce> {
    let schemas = this.streams.get(stream);
    if (!schemas) this.streams.set(stream, (schemas = { stream, types: new Map<string, SubjectInForce>() }));
    return schemas.types;
  }
}
