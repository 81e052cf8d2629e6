import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { TimeSlice } from '#async';
import type { InputProblem } from '#api';
import type { Definitions } from '#registry';
import { EventRejection, type AcceptedEvent, type EventSchemas, type ParsedEvents } from '#writing';
import { compileDataSchema, CompiledSchemaCache } from './compiled-schema-cache.js';
import { SchemaIndex, type CurrentSchema } from './schema-index.js';
import { SchemaMismatchCounter } from './schema-mismatch-counter.js';

/** Validates the events of a request against the latest schemas of their types, before the events are written. */
@Injectable()
export class EventSchemaValidator implements EventSchemas {
  private readonly index: SchemaIndex;
  private readonly compiled = new CompiledSchemaCache(compileDataSchema);
  private readonly mismatches: SchemaMismatchCounter;

  constructor(@Inject(DEFINITIONS) definitions: Pick<Definitions, 'schemas' | 'stream' | 'onChange'>) {
    this.index = new SchemaIndex(definitions);
    this.mismatches = new SchemaMismatchCounter(definitions);
  }

  find(stream: string, eventType: string): CurrentSchema | undefined {
    return this.index.find(stream, eventType);
  }

  async check(events: ParsedEvents, pointerTo: (index: number) => string): Promise<void> {
    const turn = new TimeSlice();
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      if (event instanceof EventRejection) continue;
      const entry = this.index.find(event.stream, event.event_type);
      if (!entry) continue;
      // Most events were already validated while they were scanned.
      if (event.fits !== entry) {
        const { compiled } = entry.ready ?? (await this.compiled.make(entry));
        const errors = compiled.validateText(event.data);
        // Requests share the validator: another one may use it while this one yields.
        const gaveUp = compiled.exceededLimits;
        if (turn.over(event.data.length + (compiled.searchWork >> 1))) await turn.end();
        if (errors) {
          this.mismatches.count(entry.subject);
          events[i] = unfit(event, entry, { errors: inEvent(errors, pointerTo(i)), gaveUp });
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
