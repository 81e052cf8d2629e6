import { setImmediate } from 'node:timers/promises';
import { schemaName } from '#registry';
import { compileSchema, type CompiledSchema } from '#json-schema';
import { schemaScanOf } from '#json-schema/scan';
import type { SchemaValidatorPair, CurrentSchema } from './schema-index.js';

/** Compiles a JSON Schema for the `data` of events, which is always an object. @throws InvalidSchemaError */
export function compileDataSchema(schema: unknown): CompiledSchema {
  return compileSchema(schema, { pointer: '/data', objectsOnly: true });
}

/** A function that compiles a JSON Schema to a validator. @throws Error when the schema is invalid */
export type CompileSchema = (schema: unknown) => CompiledSchema;

/**
 * Maximum number of compiled schemas that this process caches. If more are in use, the one compiled first is evicted,
 * and compiled again when it is needed.
 */
const mostCompiled = 1_000;

/** Compiles the latest versions of schemas when the first event needs them, and caches a limited number. */
export class CompiledSchemaCache {
  /** Schemas whose compiled form is cached, by schema subject: a newer version replaces the former one. */
  private readonly kept = new Map<string, CurrentSchema>();

  constructor(
    private readonly compile: CompileSchema,
    private readonly most = mostCompiled,
  ) {}

  /**
   * Compiles a schema after yielding to the event loop, so that many schemas in one request do not block other
   * requests.
   * @throws Error when it cannot be compiled. It was valid when it was registered, so this is a server error: the
   * request is answered with `internal_error`, and nothing is written unvalidated
   */
  async make(entry: CurrentSchema): Promise<SchemaValidatorPair> {
    await setImmediate();
    return (entry.ready ??= this.compileNow(entry));
  }

  private compileNow(entry: CurrentSchema): SchemaValidatorPair {
    const { subject, version } = entry;
    try {
      const ready = { compiled: this.compile(version.schema), scan: schemaScanOf(version.schema) };
      this.keep(schemaName(subject.stream, subject.event_type), entry);
      return ready;
    } catch (cause) {
      const type = JSON.stringify(subject.event_type);
      const what = `version ${version.version} of the schema of ${type} in ${subject.stream}`;
      throw new Error(`${what} cannot be compiled`, { cause });
    }
  }

  private keep(name: string, entry: CurrentSchema): void {
    this.kept.delete(name);
    const [oldest] = this.kept;
    if (oldest && this.kept.size >= this.most) {
      oldest[1].ready = undefined;
      this.kept.delete(oldest[0]);
    }
    this.kept.set(name, entry);
  }
}
