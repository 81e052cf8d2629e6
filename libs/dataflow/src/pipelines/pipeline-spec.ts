import type { FoldField } from '../folds/compile-fields.js';
import type { SourceFilter } from '../folds/compile-source.js';

/** A pipeline as clients write it. Expressions are CEL on `event`; durations are such as `10s`, `1m`, `1h`, `1d`. */
export interface PipelineSpec {
  source: SourceFilter & {
    streams: readonly string[];
    /** After so long without a record at the end of its log, a partition holds back no window. Default: `30s`. */
    idle_after?: string;
  };
  operators: readonly OperatorSpec[];
  /** Where a run begins in a stream that it has not read yet. */
  from: 'beginning' | 'now';
}

/** Exactly one member. `branch` is the last of its list; `reduce` follows a `window`, and nothing else does. */
export type OperatorSpec =
  | { filter: string }
  | { map: MapSpec }
  | { flat_map: FlatMapSpec }
  | { enrich: EnrichSpec }
  | { dedupe: DedupeSpec }
  | { window: WindowSpec }
  | { reduce: Readonly<Record<string, FoldField>> }
  | { branch: readonly BranchSpec[] }
  | { emit: EmitSpec }
  | { webhook: WebhookSpec };

/** What is not named stays as it is; `data` is made anew. */
export interface MapSpec {
  data?: MapData;
  /** Expressions. */
  event_type?: string;
  entity_id?: string;
}

/** Names and expressions, nested as the result shall be. */
export interface MapData {
  readonly [name: string]: string | MapData;
}

/** One event for each element of a list. */
export interface FlatMapSpec {
  list: string;
  /** `data` keeps its members and has the element as this one. Without it the element, an object, is the new `data`. */
  as?: string;
}

/** Puts what is known of a key into `event.data`: null where nothing is. */
export interface EnrichSpec {
  from: { projection: string } | { table: Readonly<Record<string, unknown>> };
  key: string;
  as: string;
}

/** Drops an event whose key an earlier one had, of a timestamp at most `within` away. */
export interface DedupeSpec {
  key: string;
  within: string;
}

/** Groups events by key and by their own time; exactly one of `tumbling`, `hopping` and `session`. */
export interface WindowSpec {
  tumbling?: string;
  hopping?: { size: string; every: string };
  /** Ends when no event came for so long. */
  session?: string;
  key: string;
  /** How long after its end a window still takes events. */
  lateness: string;
  /** Once, when it closes (`final`, the default), or with each event that changes it (`updates`). */
  emit?: 'final' | 'updates';
  /** Where events go that are later; the dead letters, where it is not given. */
  late?: { stream: string };
}

/** The first branch whose condition is true takes the event; none: it is dropped. `otherwise` is the last one. */
export type BranchSpec = { operators: readonly OperatorSpec[] } & ({ when: string } | { otherwise: true });

/** Writes the event to a stream. The event goes on to the operators after it. */
export interface EmitSpec {
  stream: string;
  /** As it is, where it is not given. Not an expression. */
  event_type?: string;
}

/** Posts the event to an address. The event goes on to the operators after it. */
export interface WebhookSpec {
  url: string;
  /** Names a secret of the installation. */
  secret_ref: string;
}
