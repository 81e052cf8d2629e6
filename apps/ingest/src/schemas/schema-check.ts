import type { InputError } from '#contracts';
import { metrics } from '#telemetry';
import type { AcceptedEvent } from '../read-event.js';
import type { ReadEvents } from '../read-request.js';
import { Rejection } from '../rejection.js';
import { CompiledSchemas, type CompileSchema } from './compiled-schemas.js';
import { SchemaIndex, type SchemaSource, type SubjectInForce } from './schema-index.js';
import { Turn } from './turn.js';

/** Checks events against the schemas of their types before they are written. */
export class SchemaCheck {
  private readonly index: SchemaIndex;
  private readonly compiled: CompiledSchemas;

  constructor(source: SchemaSource, compile: CompileSchema) {
    this.index = new SchemaIndex(source);
    this.compiled = new CompiledSchemas(compile);
  }

  /**
   * Notes in each event the version of its schema that it fits. One that does not fit is replaced by a rejection where
   * the schema is enforced; where it only warns, the event is counted and stays as it is. `pointerTo` gives the JSON
   * pointer to an event of the request.
   * @throws Error when a schema cannot be compiled
   */
  async check(events: ReadEvents, pointerTo: (index: number) => string): Promise<void> {
    const turn = new Turn();
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      if (event instanceof Rejection) continue;
      const entry = this.index.find(event.stream, event.event_type);
      if (!entry) continue;
      const schema = entry.compiled ?? (await this.compiled.make(entry));
      const { length } = event.data;
      // Members called __proto__ are members like others here: JSON.parse makes own properties of them.
      const errors = schema.validate(JSON.parse(event.data), length);
      if (errors) events[i] = unfit(event, entry, inEvent(errors, pointerTo(i)));
      else event.schema_version = entry.version.version;
      if (turn.over(length)) await turn.end();
    }
  }
}

function inEvent(errors: readonly InputError[], pointer: string): InputError[] {
  return errors.map((error) => ({ pointer: pointer + error.pointer, detail: error.detail }));
}

function unfit(
  event: AcceptedEvent,
  { subject, version }: SubjectInForce,
  errors: InputError[],
): AcceptedEvent | Rejection {
  const { stream, event_type, mode } = subject;
  metrics.schemaMismatches.inc({ stream, mode });
  if (mode === 'warn') return event;
  const detail = `The data does not fit version ${version.version} of the schema of ${event_type} in ${stream}.`;
  return new Rejection('schema_violation', detail, errors);
}
