import { TimeSlice } from '#async';
import type { InputProblem } from '#api';
import type { AcceptedEvent } from '../read-event.js';
import type { ParsedEvents } from '../read-request.js';
import { EventRejection } from '../rejection.js';
import { CompiledSchemaCache, type CompileSchema } from './compiled-schema-cache.js';
import type { SchemaMismatchCounter } from './mismatches.js';
import type { SchemaIndex, CurrentSchema } from './schema-index.js';
import '../write-problems.js';

/** Validates the events of a request against the latest schemas of their types, before the events are written. */
export class EventSchemaValidator {
  private readonly compiled: CompiledSchemaCache;

  constructor(
    private readonly dependencies: {
      index: SchemaIndex;
      compile: CompileSchema;
      mismatches: SchemaMismatchCounter;
    },
  ) {
    this.compiled = new CompiledSchemaCache(dependencies.compile);
  }

  /**
   * Sets `schema_version` of each event that matches its schema. In the mode `enforce`, an event that does not match is
   * replaced by a rejection. In the mode `warn`, it is counted and remains unchanged.
   * @param pointerTo Returns the JSON pointer to an event of the request
   * @throws Error when a schema cannot be compiled
   */
  async check(events: ParsedEvents, pointerTo: (index: number) => string): Promise<void> {
    const turn = new TimeSlice();
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      if (event instanceof EventRejection) continue;
      const entry = this.dependencies.index.find(event.stream, event.event_type);
      if (!entry) continue;
      // Most events were already validated while they were scanned.
      if (event.fits !== entry) {
        const { compiled } = entry.ready ?? (await this.compiled.make(entry));
        const { length } = event.data;
        const errors = compiled.validateText(event.data);
        if (turn.over(length + (compiled.searchWork >> 1))) await turn.end();
        if (errors) {
          this.dependencies.mismatches.count(entry.subject);
          events[i] = unfit(event, entry, {
            errors: inEvent(errors, pointerTo(i)),
            gaveUp: compiled.exceededLimits,
          });
          continue;
        }
      }
      event.schema_version = entry.version.version;
    }
  }
}

function inEvent(errors: readonly InputProblem[], pointer: string): InputProblem[] {
  return errors.map((error) => ({ pointer: pointer + error.pointer, detail: error.detail }));
}

function unfit(
  event: AcceptedEvent,
  { subject, version }: CurrentSchema,
  { errors, gaveUp }: { errors: InputProblem[]; gaveUp: boolean },
): AcceptedEvent | EventRejection {
  const { stream, event_type, mode } = subject;
  if (mode === 'warn') return event;
  const what = `version ${version.version} of the schema of ${event_type} in ${stream}`;
  const rejection = gaveUp
    ? new EventRejection(
        'schema_too_expensive',
        `It takes too long to validate the data against ${what}.`,
        errors,
      )
    : new EventRejection('schema_violation', `The data does not match ${what}.`, errors);
  return rejection.of(event);
}
