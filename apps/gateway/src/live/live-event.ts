import { eventToJson, parseTime, type Micros, type StoredEvent } from '#event';
import { eventValue, type ValueObject } from '#cel';
import { onOneLine } from '../answers/event-page.js';

/** An event on its way to many: what is made of it is made once, and only when somebody asks. */
export class LiveEvent {
  private text: string | undefined;
  private time: Micros | undefined;
  private asValue: ValueObject | undefined;

  constructor(readonly event: StoredEvent) {}

  /** Its JSON on one line, `data` and `metadata` as they were sent. */
  get json(): string {
    return (this.text ??= onOneLine(eventToJson(this.event)));
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
