import type { ApiSchemas } from './api-schemas.js';

/** Describes the JSON that the operator `map` creates: an object with a CEL expression in place of each value. */
export type MapTemplate = string | { [name: string]: MapTemplate };

/** One step of a pipeline. */
export type Operator =
  | { filter: string }
  | { map: { data?: MapTemplate; event_type?: string; entity_id?: string } }
  | { flat_map: { list: string; as?: string } }
  | {
      enrich: {
        from: { projection: string } | { table: Record<string, unknown> };
        key: string;
        as: string;
        /** A CEL expression with a time: adds the state of the projection as of that time. */
        as_of?: string;
      };
    }
  | { dedupe: { key: string; within: string } }
  | { window: Window }
  | { reduce: Record<string, ApiSchemas['ProjectionFieldInput']> }
  | { expect: Expect }
  | { join: Join }
  | { branch: (Branch | Otherwise)[] }
  | { emit: { stream: string; event_type?: string } }
  | {
      webhook: {
        url: string;
        secret_ref?: string;
        format?: 'event' | 'cloudevents';
        [option: string]: unknown;
      };
    };

/** Groups events by key and time. Exactly one of `tumbling`, `hopping`, `session` and `calendar` defines the windows. */
export interface Window {
  tumbling?: string;
  hopping?: { size: string; every: string };
  session?: string;
  /** Windows in the local time of `zone`, such as Europe/Berlin; weeks begin on Monday. */
  calendar?: 'day' | 'week' | 'month' | 'quarter' | 'year';
  zone?: string;
  key: string;
  /** The time that a window waits for late events after its end. */
  lateness: string;
  emit?: 'updates' | 'final';
  late?: { stream: string };
}

/** Passes an event that `after` selects, with the type `as`, if no event that `event` selects follows in time. */
export interface Expect {
  after: string;
  event: string;
  key: string;
  within: string;
  as: string;
  /** The time that the operator waits for late events. Default: `0s`. */
  lateness?: string;
  late?: { stream: string };
}

/** Joins each event with those of other streams that have the same key and a time near its own. */
export interface Join {
  /** The right side: the events of these streams that the other members select. */
  with: { streams: string[]; event_types?: string[]; where?: string };
  /** CEL expression for the key of an event that reaches the operator. */
  left: string;
  /** CEL expression for the key of an event of the right side. */
  right: string;
  /** How much earlier and later than the left event the right one may be; at least one of both. */
  within: { before?: string; after?: string };
  /** Which events that join none pass: none (default), left ones, or those of both sides. */
  kind?: 'inner' | 'left' | 'outer';
  /** The member of `data` that has the data of the right event. */
  as: string;
  /** The time that the operator waits for late events. Default: `0s`. */
  lateness?: string;
  late?: { stream: string };
}

/** One case of the operator `branch`: its operators process the events for which `when` is true. */
export interface Branch {
  when: string;
  operators: Operator[];
}

/** The last case of the operator `branch`: its operators process the events that match no other case. */
export interface Otherwise {
  otherwise: true;
  operators: Operator[];
}
