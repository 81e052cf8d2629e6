import { setImmediate } from 'node:timers/promises';
import { schemaName } from '#registry';
import type { CompiledSchema } from '#schemas';
import { schemaScanOf } from './scan/schema-scan.js';
import type { ReadySchema, SubjectInForce } from './schema-index.js';

/** Makes a schema ready to check events. @throws when it cannot be used */
export type CompileSchema = (schema: unknown) => CompiledSchema;

/** Compiled schemas that are kept; with more in use, the one that was made first is made again when it is needed. */
const mostCompiled = 1_000;

/** Compiles the versions in force, each when the first event needs it, and keeps a bounded number of them. */
export class CompiledSchemas {
  /** By subject: a newer version takes the place of the one before. */
  private readonly kept = new Map<string, SubjectInForce>();

  constructor(
    private readonly compile: CompileSchema,
    private readonly most = mostCompiled,
  ) {}

  /**
   * Compiles one, after a turn of the event loop: many of them in one request do not keep others from theirs.
   * @throws Error when it cannot be compiled. It could when it was registered, so the fault is ours: the request is
   * answered with `internal_error`, the cause is logged, and nothing is written unchecked
   */
  async make(entry: SubjectInForce): Promise<ReadySchema> {
    await setImmediate();
    return (entry.ready ??= this.made(entry));
  }

  private made(entry: SubjectInForce): ReadySchema {
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

  private keep(name: string, entry: SubjectInForce): void {
    this.kept.delete(name);
    if (this.kept.size >= this.most) this.dropOldest();
    this.kept.set(name, entry);
  }

  private dropOldest(): void {
    for (const [name, entry] of this.kept) {
      entry.ready = undefined;
      this.kept.delete(name);
      return;
    }
  }
}
