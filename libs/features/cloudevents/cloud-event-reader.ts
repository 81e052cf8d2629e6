import type { InputProblem } from '#api';
import { cloudEventId, wrapValue, type CloudEventDataForm } from '#event';
import { jsonValue, type JsonScanner } from '#json';
import {
  hasDuplicates,
  duplicate,
  invalid,
  isLong,
  tooLarge,
  type AcceptedEvent,
  type EventParserInputs,
  type ParsedEvents,
  EventRejection,
} from '#writing';
import type { ValueHandler } from '#features/raw';
import { readAttributes, type EventFieldsFromCloudEvent } from './attributes.js';
import { scanCloudEvent, type ScannedCloudEvent } from './scan-cloud-event.js';

const openBrace = 0x7b;

/** Stream and intake context of a `CloudEventReader`, and its pointers for errors. */
interface CloudEventReaderOptions {
  stream: string;
  inputs: EventParserInputs;
  /**
   * Returns the pointer with which an error names an attribute or `data` of the CloudEvent with this index; an empty
   * name means the whole event.
   */
  pointerTo: (index: number, name: string) => string;
}

/** Converts CloudEvents in the JSON event format to events. The text of `data` remains unchanged. */
export class CloudEventReader implements ValueHandler {
  readonly events: ParsedEvents = [];
  /** The CloudEvent that was scanned last; undefined if the value is not a JSON object or its scan failed. */
  private scanned: ScannedCloudEvent | undefined;

  constructor(private readonly options: CloudEventReaderOptions) {}

  scan(scanner: JsonScanner, start: number): number {
    scanner.reset();
    this.scanned = undefined;
    if (scanner.text.charCodeAt(start) !== openBrace) return scanner.value(start, 1);
    const scanned = scanCloudEvent(scanner, start);
    if (scanned.end >= 0) this.scanned = scanned;
    return scanned.end;
  }

  take(scanner: JsonScanner, start: number, end: number): void {
    const event = this.eventOf(scanner, start, end);
    if (event instanceof EventRejection) this.refuse(event, start, end);
    else this.events.push(event);
  }

  refuse(why: EventRejection, start: number, end: number): void {
    const { stream, inputs } = this.options;
    const { attributes = new Map<string, unknown>() } = this.scanned ?? {};
    const [id, source, subject] = ['id', 'source', 'subject'].map((name) => attributes.get(name));
    const named = typeof id === 'string' && typeof source === 'string';
    this.events.push(
      why.of({
        ...{ start, end, stream },
        entity_id: typeof subject === 'string' ? subject : null,
        event_id: named ? cloudEventId(source, id) : inputs.ids.next(),
      }),
    );
  }

  private eventOf(scanner: JsonScanner, start: number, end: number): AcceptedEvent | EventRejection {
    const { scanned } = this;
    const at = this.pointerTo('');
    if (isLong(scanner.text, { start, end })) return tooLarge(at);
    if (!scanned) return invalid([{ pointer: at, detail: 'must be a CloudEvent, which is an object' }]);
    if (scanner.duplicate || (scanner.uncertain && hasDuplicates(scanner, { start, end })))
      return duplicate(scanner.text, { start, end }, at);
    const data = readData(scanned);
    if (Array.isArray(data)) return this.invalid(data);
    const fields = readAttributes(scanned.attributes, { stream: this.options.stream, data: data.sent });
    if (Array.isArray(fields)) return this.invalid(fields);
    return this.accepted(fields, data.text, { start, end });
  }

  private accepted(
    { id, source, timestamp, ...fields }: EventFieldsFromCloudEvent,
    data: string,
    place: { start: number; end: number },
  ): AcceptedEvent {
    const { stream, inputs } = this.options;
    return {
      ...{ stream, ...fields, data, ...place },
      event_id: cloudEventId(source, id),
      timestamp: timestamp ?? inputs.ingestedAt,
      ingested_at: inputs.ingestedAt,
      ...{ schema_version: null, fits: undefined },
    };
  }

  private invalid(errors: readonly InputProblem[]): EventRejection {
    return invalid(errors.map(({ pointer, detail }) => ({ pointer: this.pointerTo(pointer), detail })));
  }

  private pointerTo(name: string): string {
    return this.options.pointerTo(this.events.length, name);
  }
}

interface ReadData {
  /** The event's data as the text of a JSON object. */
  text: string;
  /**
   * How the CloudEvent's data was sent if it was not a JSON object: as another JSON value, as Base64, or not at all.
   */
  sent: CloudEventDataForm | undefined;
}

function readData({ data, base64 }: ScannedCloudEvent): ReadData | InputProblem[] {
  if (base64 !== undefined) return data === undefined ? readBase64(base64) : both;
  if (data === undefined) return { text: '{}', sent: 'none' };
  if (data.charCodeAt(0) === openBrace) return { text: data, sent: undefined };
  return { text: wrapValue(data), sent: 'value' };
}

const both: InputProblem[] = [{ pointer: 'data_base64', detail: 'must not be sent together with data' }];

function readBase64(text: string): ReadData | InputProblem[] {
  const value = jsonValue(text);
  if (typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value))
    return { text: wrapValue(JSON.stringify(value)), sent: 'base64' };
  return [{ pointer: 'data_base64', detail: 'must be a text in Base64 (RFC 4648, section 4)' }];
}
