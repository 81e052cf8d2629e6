import { canonicalNumber } from '#cel';
import { jsonValue } from '#json';
import type { ValidatingJsonScanner } from '#json-schema/scan';
import {
  hasDuplicates,
  damaged,
  duplicate,
  invalid,
  isDamaged,
  isLong,
  tooLarge,
  type AcceptedEvent,
  type EventParserInputs,
  type ParsedEvents,
  EventRejection,
  type EventSchema,
} from '#writing';
import type { UnvalidatedFields, MappedFieldName, FieldMapping } from './mapping.js';
import type { ValueHandler } from './read-values.js';

const quote = 0x22;
const minus = 0x2d;
const openBrace = 0x7b;

/** Field mapping, intake context and derived ids of a `RawWriteEventReader`. */
interface RawReaderOptions {
  mapping: FieldMapping;
  inputs: EventParserInputs;
  /** Returns the event id for the value at this index of the request, if it contains none. */
  idOf: (index: number) => string;
}

/**
 * Converts raw JSON values to events. A value that is an object becomes `data` with its text unchanged; any other value
 * becomes `{"value": …}`.
 */
export class RawWriteEventReader implements ValueHandler {
  readonly events: ParsedEvents = [];
  /**
   * The schema that the last scanned value was found to match during the scan; undefined if the match must be checked
   * later.
   */
  private fits: EventSchema | undefined;
  /** Entity id that was found in the last scanned value; null if none was found. */
  private entity: string | null = null;

  constructor(private readonly options: RawReaderOptions) {}

  scan(scanner: ValidatingJsonScanner, start: number): number {
    const { mapping, inputs } = this.options;
    scanner.reset();
    this.fits = undefined;
    this.entity = null;
    // A value that is not an object is wrapped in one, which adds a level.
    if (scanner.text.charCodeAt(start) !== openBrace) return scanner.value(start, 2);
    const type = mapping.fixed?.event_type;
    const subject = type === undefined ? undefined : inputs.schemas?.find(mapping.stream, type);
    if (!subject?.ready?.scan) return scanner.value(start, 1);
    const end = scanner.check(subject.ready.scan, start, 1);
    if (scanner.fits) this.fits = subject;
    return end;
  }

  take(scanner: ValidatingJsonScanner, start: number, end: number): void {
    const event = this.eventOf(scanner, start, end);
    if (event instanceof EventRejection) this.refuse(event, start, end);
    else this.events.push(event);
  }

  refuse(why: EventRejection, start: number, end: number): void {
    const { mapping, idOf } = this.options;
    const { event_id } = mapping.fixed ?? {};
    const entity_id = mapping.fixed?.entity_id ?? this.entity;
    const sent = {
      start,
      end,
      stream: mapping.stream,
      entity_id,
      event_id: event_id ?? idOf(this.events.length),
    };
    this.events.push(why.of(sent));
  }

  private eventOf(
    scanner: ValidatingJsonScanner,
    start: number,
    end: number,
  ): AcceptedEvent | EventRejection {
    const { inputs, mapping, idOf } = this.options;
    const { text } = scanner;
    const index = this.events.length;
    if (isLong(text, { start, end })) return tooLarge(`/${index}`);
    if (isDamaged(inputs, { start, end })) return damaged(`/${index}`);
    if (scanner.duplicate || (scanner.uncertain && hasDuplicates(scanner, { start, end })))
      return duplicate(text, { start, end }, `/${index}`);
    const fields = mapping.fixed ?? mapping.fieldsOf(this.found(scanner, start));
    if (Array.isArray(fields)) return invalid(fields.map((error) => this.inValue(error, index)));
    const { event_type, entity_id, event_id, timestamp, expected_version } = fields;
    const value = text.slice(start, end);
    return {
      stream: mapping.stream,
      event_id: event_id ?? idOf(index),
      event_type,
      entity_id,
      expected_version,
      timestamp: timestamp ?? inputs.ingestedAt,
      ingested_at: inputs.ingestedAt,
      schema_version: null,
      metadata: '{}',
      data: text.charCodeAt(start) === openBrace ? value : `{"value":${value}}`,
      fits: this.fits,
      start,
      end,
    };
  }

  private found(scanner: ValidatingJsonScanner, start: number): UnvalidatedFields {
    const { tree, pointers } = this.options.mapping;
    const found: UnvalidatedFields = {
      ...{ event_type: null, entity_id: null, event_id: null, timestamp: null, expected_version: null },
    };
    tree.find(scanner, start);
    for (let i = 0; i < pointers.length; i++) {
      const at = tree.spans[2 * i]!;
      if (at >= 0) found[pointers[i]!] = scalarAt(scanner.text, at, tree.spans[2 * i + 1]!);
    }
    if (typeof found.entity_id === 'string') this.entity = found.entity_id;
    return found;
  }

  /** Converts an error whose pointer is a field name to one whose pointer leads to the field's source in the value. */
  private inValue({ pointer: field, detail }: { pointer: string; detail: string }, index: number) {
    const source = this.options.mapping.text[field as MappedFieldName] ?? '';
    return { pointer: `/${index}${source.startsWith('/') ? source : ''}`, detail: `${field} ${detail}` };
  }
}

/**
 * Returns the JSON value between `start` and `end`: a string, the canonical text of a number, null, or false for any
 * other value.
 */
function scalarAt(text: string, start: number, end: number): unknown {
  const code = text.charCodeAt(start);
  const literal = text.slice(start, end);
  if (code === minus || (code >= 0x30 && code <= 0x39)) return canonicalNumber(literal);
  if (code !== quote) return code === 0x6e ? null : false;
  return literal.includes('\\') ? jsonValue(literal) : literal.slice(1, -1);
}
