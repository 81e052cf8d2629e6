import type { SchemaSubject, SchemaVersion } from '#definitions';
import type { CompiledSchema } from '#schemas';

/** The schema that the events of one type in one stream have to fit now. */
export interface SubjectInForce {
  readonly subject: SchemaSubject;
  /** The latest one. */
  readonly version: SchemaVersion;
  /** Once an event has needed it, and while it is kept. */
  compiled: CompiledSchema | undefined;
}

/** Where the index takes the schemas from. */
export interface SchemaSource {
  readonly schemas: { all(): readonly SchemaSubject[] };
  onChange(listener: () => void): () => void;
}

/**
 * The schemas that are enforced or warned of, by stream and type: two look-ups for an event, one where its stream has no
 * schema. A change of the definitions counts for the next look-up.
 */
export class SchemaIndex {
  private streams = new Map<string, Map<string, SubjectInForce>>();
  private stale = true;

  constructor(private readonly source: SchemaSource) {
    source.onChange(() => (this.stale = true));
  }

  find(stream: string, eventType: string): SubjectInForce | undefined {
    if (this.stale) this.rebuild();
    return this.streams.get(stream)?.get(eventType);
  }

  /** What has not changed stays the same object: what was made of it stays good. */
  private rebuild(): void {
    const before = this.streams;
    this.streams = new Map();
    this.stale = false;
    for (const subject of this.source.schemas.all()) {
      const version = subject.versions.at(-1);
      if (subject.retired || subject.mode === 'off' || !version) continue;
      const known = before.get(subject.stream)?.get(subject.event_type);
      this.typesOf(subject.stream).set(
        subject.event_type,
        known && known.subject === subject ? known : { subject, version, compiled: undefined },
      );
    }
  }

  private typesOf(stream: string): Map<string, SubjectInForce> {
    let types = this.streams.get(stream);
    if (!types) this.streams.set(stream, (types = new Map<string, SubjectInForce>()));
    return types;
  }
}
