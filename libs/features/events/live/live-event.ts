import { cloudEventJson, eventToJson, streamSource, type StoredEvent } from '#event';
import { parseTime, type EpochMicros } from '#json';
import { type CelObject } from '#cel';
import { eventValue } from '#dataflow';
import { onOneLine } from '#gateway-kit';

/** Formats of an event in a live stream; the first is the default. */
export const eventFormats = ['event', 'cloudevents'] as const;
/** Format of an event in a live stream: the API's own JSON, or CloudEvents 1.0. */
export type LiveEventJsonFormat = (typeof eventFormats)[number];

const encode: Record<LiveEventJsonFormat, (event: StoredEvent) => string> = {
  event: eventToJson,
  cloudevents: (event) => cloudEventJson(event, streamSource(event.stream)),
};

/**
 * A stored event on its way to many live streams, which share its JSON text and its CEL value. Each form is computed
 * when a stream first needs it.
 */
export class LiveEvent {
  private readonly texts: Partial<Record<LiveEventJsonFormat, string>> = {};
  private time: EpochMicros | undefined;
  private asValue: CelObject | undefined;

  constructor(readonly event: StoredEvent) {}

  /** Returns the event's JSON on one line, with `data` and `metadata` as they were sent. */
  json(format: LiveEventJsonFormat): string {
    return (this.texts[format] ??= onOneLine(encode[format](this.event)));
  }

  /** Number of characters of `data` and `metadata` together. */
  get size(): number {
    return this.event.data.length + this.event.metadata.length;
  }

  get timestamp(): EpochMicros {
    return (this.time ??= parseTime(this.event.timestamp) ?? NaN);
  }

  /** The event as a value of expressions. */
  get value(): CelObject {
    return (this.asValue ??= eventValue(this.event));
  }
}
