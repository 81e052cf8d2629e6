import { cloudEventJson, eventToJson, parseTime, streamSource, type Micros, type StoredEvent } from '#event';
import { eventValue, type ValueObject } from '#cel';
import { onOneLine } from '../answers/event-page.js';
import type { EventFormat } from '../events/event-parameters.js';

const encode: Record<EventFormat, (event: StoredEvent) => string> = {
  event: eventToJson,
  cloudevents: (event) => cloudEventJson(event, streamSource(event.stream)),
};

/** An event on its way to many: what is made of it is made once, and only when somebody asks. */
export class LiveEvent {
  private readonly texts: Partial<Record<EventFormat, string>> = {};
  private time: Micros | undefined;
  private asValue: ValueObject | undefined;

  constructor(readonly event: StoredEvent) {}

  /** Its JSON on one line, `data` and `metadata` as they were sent. */
  json(format: EventFormat): string {
    return (this.texts[format] ??= onOneLine(encode[format](this.event)));
  }

  /** Characters of what it carries. */
  get size(): number {
    return this.event.data.length + this.event.metadata.length;
  }

  get timestamp(): Micros {
    return (this.time ??= parseTime(this.event.timestamp) ?? NaN);
  }

  /** As expressions see it. */
  get value(): ValueObject {
    return (this.asValue ??= eventValue(this.event));
  }
}
