import {
  compileDataSchema,
  CompiledSchemaCache,
  SchemaIndex,
  SchemaMismatchCounter,
} from '#features/schemas/enforcement';
import type { Definitions } from '#registry';

/**
 * The schema version that an emitted event matches, or the validation errors of the event. The version is null if the
 * event type has no schema, or if the event does not match a schema in mode `warn`.
 */
type SchemaValidationResult =
  { readonly version: number | null; readonly error?: undefined } | { readonly error: string };

const unchecked: SchemaValidationResult = { version: null };

/** Validates emitted events against the schemas of their event types, as ingest validates the events of clients. */
export class EmittedEventValidator {
  private readonly index: SchemaIndex;
  private readonly compiled = new CompiledSchemaCache(compileDataSchema);
  private readonly mismatches: SchemaMismatchCounter;

  constructor(definitions: Pick<Definitions, 'schemas' | 'stream' | 'onChange'>) {
    this.index = new SchemaIndex(definitions);
    this.mismatches = new SchemaMismatchCounter(definitions);
  }

  /** Returns whether the event type has a schema. For an event type without a schema, `check` resolves without work. */
  has(stream: string, eventType: string): boolean {
    return this.index.find(stream, eventType) !== undefined;
  }

  /** Validates the data of an emitted event. @throws Error when the schema cannot be compiled */
  async check(stream: string, eventType: string, data: string): Promise<SchemaValidationResult> {
    const entry = this.index.find(stream, eventType);
    if (!entry) return unchecked;
    const { compiled } = entry.ready ?? (await this.compiled.make(entry));
    const errors = compiled.validateText(data);
    if (!errors) return { version: entry.version.version };
    this.mismatches.count(entry.subject);
    if (entry.subject.mode === 'warn') return unchecked;
    return { error: errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ') };
  }
}
