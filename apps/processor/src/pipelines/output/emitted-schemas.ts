import { CompiledSchemas, Mismatches, SchemaIndex } from '#writing';
import type { Definitions } from '#registry';
import { compileSchema } from '#schemas';

/** The version that an event fits, null where nothing is known of its type; or what is wrong with it. */
export type SchemaOutcome =
  { readonly version: number | null; readonly error?: undefined } | { readonly error: string };

const unchecked: SchemaOutcome = { version: null };

/** Holds what is emitted against the schemas of its type, as what clients write is held against them. */
export class EmittedSchemas {
  private readonly index: SchemaIndex;
  private readonly compiled = new CompiledSchemas(compileSchema);
  private readonly mismatches: Mismatches;

  constructor(definitions: Pick<Definitions, 'schemas' | 'stream' | 'onChange'>) {
    this.index = new SchemaIndex(definitions);
    this.mismatches = new Mismatches(definitions);
  }

  /** Whether there is anything to check: `check` says at once that there is not. */
  has(stream: string, eventType: string): boolean {
    return this.index.find(stream, eventType) !== undefined;
  }

  /** @throws Error when a schema cannot be compiled */
  async check(stream: string, eventType: string, data: string): Promise<SchemaOutcome> {
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
