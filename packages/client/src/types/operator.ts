import type { ApiSchemas } from './api-schemas.js';

/** Describes the JSON that the operator `map` creates: an object with a CEL expression in place of each value. */
export type MapTemplate = string | { [name: string]: MapTemplate };

/** One step of a pipeline. */
export type Operator =
  | { filter: string }
  | { map: { data?: MapTemplate; event_type?: string; entity_id?: string } }
  | { flat_map: { list: string; as?: string } }
  | { enrich: { from: { projection: string } | { table: Record<string, unknown> }; key: string; as: string } }
  | { dedupe: { key: string; within: string } }
  | { window: Window }
  | { reduce: Record<string, ApiSchemas['ProjectionFieldInput']> }
  | { expect: Expect }
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
