import type { Time } from './json.js';

/** A record that could not become an event, or an event that failed in a projection or pipeline. */
export interface DeadLetter {
  id: string;
  /** The consumer that could not process the record: `materializer`, `projection:<name>` or `pipeline:<name>`. */
  source: string;
  stream: string;
  partition: number;
  offset: number;
  /** For a dead letter of a pipeline: JSON pointer in its definition to the operator that failed. */
  operator: string | null;
  /** A stable identifier, such as `operator_failed`. */
  reason: string;
  error: string;
  /** The record as text, or `base64:` and its bytes if they are not UTF-8. */
  event: string;
  created_at: string;
  replayed_at: string | null;
}

/** Filters of a list of dead letters. */
export interface DeadLetterQuery {
  source?: string;
  replayed?: boolean;
  since?: Time;
  until?: Time;
  limit?: number;
  cursor?: string;
}

/** Selects the dead letters to replay: by ids, or all of a source. */
export interface ReplayInput {
  ids?: string[] | null;
  source?: string | null;
  cursor?: string | null;
}

/** Result of a replay of dead letters: how many were replayed, and which failed. */
export interface ReplayReport {
  dry_run: boolean;
  matched: number;
  replayed: number;
  skipped: number;
  failed: UnreplayedDeadLetter[];
  events: ReplayWrittenEvent[];
  has_more: boolean;
  next_cursor: string | null;
}

/** A dead letter that was not replayed, and why. */
export interface UnreplayedDeadLetter {
  id: string;
  detail: string;
}

/** The event that a replay has written for a dead letter. */
export interface ReplayWrittenEvent {
  id: string;
  event_id: string;
  stream: string;
  partition: number;
  offset: number;
}
