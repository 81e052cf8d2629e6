import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { parseTime } from '#json';
import type { RejectedEventRecord } from '#event';
import { ProblemError } from '#api';
import type { Definitions } from '#registry';
import { CloudEventReader, pointerIn } from '#features/cloudevents';
import { EventSchemaValidator } from '#features/schemas/enforcement';
import { FieldMapping, RawWriteEventReader, readValue } from '#features/raw';
import {
  damagedDetail,
  type AcceptedEvent,
  type EventParserInputs,
  readSingle,
  EventRejection,
} from '#writing';

/**
 * Parses and validates kept rejected events again, in the format of the route that rejected them and with today's
 * schemas, for replays.
 */
@Injectable()
export class RejectedEventRevalidator {
  private readonly schemas: EventSchemaValidator;

  constructor(@Inject(DEFINITIONS) definitions: Pick<Definitions, 'schemas' | 'stream' | 'onChange'>) {
    this.schemas = new EventSchemaValidator(definitions);
  }

  /**
   * Returns the valid event, with the event id that it would have had, or a text that says why it still cannot be
   * written.
   */
  async read(stream: string, record: RejectedEventRecord): Promise<AcceptedEvent | string> {
    if (record.cut) return 'it was too large to be kept completely';
    if (record.refused.detail === damagedDetail) return 'it had bytes that are not UTF-8, which are not kept';
    const inputs: EventParserInputs = {
      ingestedAt: parseTime(record.received_at) ?? 0,
      ids: { next: () => record.event_id },
      schemas: this.schemas,
      text: record.text,
    };
    const events = [readAgain(stream, record, inputs)];
    await this.schemas.check(events, () => '');
    const [event] = events;
    if (!event) return 'it contains no event';
    if (event instanceof EventRejection) return sentence(event.toProblem());
    if (event.expected_version === null) return event;
    return 'it has an expected_version, so only its writer can decide to send it again';
  }
}

function readAgain(
  stream: string,
  record: RejectedEventRecord,
  inputs: EventParserInputs,
): AcceptedEvent | EventRejection {
  try {
    if (record.form !== 'raw' && record.form !== 'cloudevent') return readSingle(inputs);
    const reader =
      record.form === 'raw'
        ? new RawWriteEventReader({
            mapping: new FieldMapping(stream, record.mapping),
            inputs,
            idOf: () => record.event_id,
          })
        : new CloudEventReader({ stream, inputs, pointerTo: pointerIn('structured') });
    readValue(record.text, reader);
    return reader.events[0]!;
  } catch (error) {
    if (error instanceof ProblemError)
      return new EventRejection(error.code, error.message, error.options.errors);
    throw error;
  }
}

function sentence({ message, options: { errors = [] } }: ProblemError): string {
  const places = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return `it is still rejected: ${message}${places && ` (${places})`}`;
}
