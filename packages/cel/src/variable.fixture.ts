import { parseTime } from '#json';
import { parseExactJson } from './json.js';
import { kinds } from './kinds.js';
import { LazyObject, Timestamp, type CelObject, type CelValue } from './values.js';
import type { Variable } from './variable.js';

/** The variable of the specs: an event whose sent data is JSON. */
export const eventVariable: Variable = {
  name: 'event',
  members: {
    stream: kinds.string,
    event_type: kinds.string,
    entity_id: kinds.string | kinds.null,
    schema_version: kinds.number | kinds.null,
    version: kinds.number | kinds.null,
    timestamp: kinds.timestamp,
    ingested_at: kinds.timestamp,
    data: kinds.object,
    metadata: kinds.object,
    offset: kinds.number,
  },
  likelyMember: 'data',
};

/** Returns an event as a value of the variable; its `data` is parsed on first use. */
export function eventValue(data: string, stream = 'orders'): CelObject {
  return new LazyEvent(data, stream) as unknown as CelObject;
}

class LazyEvent extends LazyObject {
  readonly event_type = 'order.placed';
  readonly entity_id = null;
  readonly schema_version = null;
  readonly version = 3;
  readonly timestamp = new Timestamp(parseTime('2026-11-21T04:00:00.000123Z')!);
  readonly ingested_at = new Timestamp(parseTime('2026-11-21T04:00:05Z')!);
  data: CelValue | undefined = undefined;
  readonly metadata = { source: 'web' };
  readonly offset = 10;
  readonly #data: string;

  constructor(
    data: string,
    readonly stream: string,
  ) {
    super();
    this.#data = data;
  }

  read(): CelValue {
    return (this.data = parseExactJson(this.#data));
  }
}
