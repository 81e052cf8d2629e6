import type { SchemaSubject, SchemaVersion } from '#registry';
import type { CompiledSchema } from '#json-schema';
import type { ScanningValidator } from '#json-schema/scan';

/**
 * Two validators compiled from one JSON Schema: a complete one, and a faster one that runs during the scan of the text.
 */
export interface SchemaValidatorPair {
  /** The complete validator, which decides whenever the scan does not find a certain match. */
  compiled: CompiledSchema;
  /** The faster validator, which validates while the text is scanned; undefined if it does not support the schema. */
  scan: ScanningValidator | undefined;
}

/** The latest version of the schema for the events of one type in one stream, with its compiled validators. */
export interface CurrentSchema {
  readonly subject: SchemaSubject;
  /** Latest version of the schema. */
  readonly version: SchemaVersion;
  /** Compiled validators; set when the first event needs them, until they are evicted. */
  ready: SchemaValidatorPair | undefined;
}

/** The members of the definitions that a `SchemaIndex` reads: all schema subjects, and notifications of changes. */
interface SchemaSource {
  readonly schemas: { all(): readonly SchemaSubject[] };
  onChange(listener: () => void): () => void;
}

/** The enforced schemas of one stream, by event type. */
interface StreamSchemas {
  stream: string;
  types: Map<string, CurrentSchema>;
}

/**
 * Finds the latest schema of an event type in a stream; retired schemas and the mode `off` are left out. A look-up
 * takes two map accesses, or one if the stream has no schema. A change of the definitions applies to the next look-up.
 */
export class SchemaIndex {
  private streams = new Map<string, StreamSchemas>();
  /** Schemas of the stream of the last look-up, because the events of a request usually have the same stream. */
  private last: StreamSchemas | undefined;
  private stale = true;

  constructor(private readonly source: SchemaSource) {
    source.onChange(() => (this.stale = true));
  }

  find(stream: string, eventType: string): CurrentSchema | undefined {
    if (this.stale) this.rebuild();
    if (this.last?.stream !== stream) {
      const found = this.streams.get(stream);
      if (!found) return undefined;
      this.last = found;
    }
    return this.last.types.get(eventType);
  }

  /**
   * Rebuilds the index from the definitions. An unchanged schema subject keeps its object, so that its compiled
   * validators are reused.
   */
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

  private typesOf(stream: string): Map<string, CurrentSchema> {
    let schemas = this.streams.get(stream);
    if (!schemas) this.streams.set(stream, (schemas = { stream, types: new Map<string, CurrentSchema>() }));
    return schemas.types;
  }
}
