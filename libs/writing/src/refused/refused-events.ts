import { parseTime, type RefusedRecord } from '#event';
import { ProblemError } from '#api';
import type { Definitions } from '#registry';
import { compileSchema } from '#schemas';
import { CloudEventReader } from '../cloudevents/cloud-event-reader.js';
import { placeOf } from '../cloudevents/read-cloud-events.js';
import { Mapping } from '../raw/mapping.js';
import { RawReader } from '../raw/raw-reader.js';
import { readValue } from '../raw/read-values.js';
import type { AcceptedEvent, Reception } from '../read-event.js';
import { readSingle, type ReadEvents } from '../read-request.js';
import { Rejection } from '../rejection.js';
import { Mismatches } from '../schemas/mismatches.js';
import { SchemaCheck } from '../schemas/schema-check.js';
import { SchemaIndex } from '../schemas/schema-index.js';

/** Parses rejected events again, with the rules of the endpoint that rejected them. */
export class RefusedEvents {
  private readonly schemas: SchemaIndex;
  private readonly schemaCheck: SchemaCheck;

  constructor(definitions: Pick<Definitions, 'schemas' | 'stream' | 'onChange'>) {
    this.schemas = new SchemaIndex(definitions);
    this.schemaCheck = new SchemaCheck({
      index: this.schemas,
      compile: compileSchema,
      mismatches: new Mismatches(definitions),
    });
  }

  /** Returns the event with the id that it would have had, or a text that says why it is still invalid. */
  async read(stream: string, record: RefusedRecord): Promise<AcceptedEvent | string> {
    if (record.cut) return 'it was too large to be kept completely';
    const [event] = await this.checked(stream, record);
    if (!event) return 'it contains no event';
    return event instanceof Rejection ? sentence(event.toProblem()) : event;
  }

  private async checked(stream: string, record: RefusedRecord): Promise<ReadEvents> {
    const reception: Reception = {
      ingestedAt: parseTime(record.received_at) ?? 0,
      ids: { next: () => record.event_id },
      schemas: this.schemas,
      text: record.text,
    };
    const events = [readAgain(stream, record, reception)];
    await this.schemaCheck.check(events, () => '');
    return events;
  }
}

function readAgain(stream: string, record: RefusedRecord, reception: Reception): AcceptedEvent | Rejection {
  try {
    if (record.form === 'raw') return readRaw(stream, record, reception);
    return record.form === 'cloudevent' ? readCloudEvent(stream, reception) : readSingle(reception);
  } catch (error) {
    if (error instanceof ProblemError) return new Rejection(error.code, error.message, error.options.errors);
    throw error;
  }
}

function readRaw(stream: string, record: RefusedRecord, reception: Reception): AcceptedEvent | Rejection {
  const mapping = new Mapping(stream, record.mapping);
  const reader = new RawReader({ mapping, reception, idOf: () => record.event_id });
  readValue(record.text, reader);
  return reader.events[0]!;
}

function readCloudEvent(stream: string, reception: Reception): AcceptedEvent | Rejection {
  const reader = new CloudEventReader({ stream, reception, pointerTo: placeOf('structured') });
  readValue(reception.text, reader);
  return reader.events[0]!;
}

function sentence({ message, options: { errors = [] } }: ProblemError): string {
  const places = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return `it is still rejected: ${message}${places && ` (${places})`}`;
}
