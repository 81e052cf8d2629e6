import type { RecordPosition } from '#log';
import { ProblemError, type InputError, type ProblemCode } from '#api';

/** Position of a rejected event in the text of its request, and its known fields. */
export interface RejectedEventSource {
  start: number;
  end: number;
  /** Stream of the rejected event; undefined if the name is not valid. */
  stream: string | undefined;
  entity_id: string | null;
  /** The id that the event would have had. */
  event_id: string;
}

/**
 * The reason why one event was not written. The answer to a batch lists rejections; a rejected single event is answered
 * with a problem.
 */
export class EventRejection {
  /** The rejected event; undefined if its text is not known. */
  readonly sent?: RejectedEventSource;
  /** Position in the log at which the rejected event is kept, or at which its conditional record is. */
  readonly kept?: RecordPosition;
  /** The version of the entity, for `version_conflict`. */
  readonly currentVersion?: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly InputError[] = [],
  ) {}

  /** Returns this rejection with the event's position in the text. */
  of(sent: RejectedEventSource): EventRejection {
    return Object.assign(new EventRejection(this.code, this.detail, this.errors), { sent });
  }

  /** Returns this rejection with the position at which it is kept in the log. */
  keptAt(kept: RecordPosition): EventRejection {
    return Object.assign(new EventRejection(this.code, this.detail, this.errors), { kept, sent: this.sent });
  }

  /** Returns this rejection with the version that the entity has. */
  at(currentVersion: number): EventRejection {
    return Object.assign(new EventRejection(this.code, this.detail, this.errors), {
      ...{ kept: this.kept, sent: this.sent, currentVersion },
    });
  }

  /** Whether the log has the event as a record, which the materializer has refused or not decided yet. */
  get isConditional(): boolean {
    return this.code === 'version_conflict' || this.code === 'undecided';
  }

  /** Returns this rejection without its event, so that it is not kept. */
  unknown(): EventRejection {
    return new EventRejection(this.code, this.detail, this.errors);
  }

  toProblem(): ProblemError {
    const { code, detail, errors, currentVersion } = this;
    return new ProblemError(code, detail, {
      ...(errors.length > 0 && { errors: [...errors] }),
      currentVersion,
      ...(code === 'undecided' && { retryAfterSeconds: 1 }),
    });
  }
}

/** Result of a valid event in an atomic batch with an invalid one. */
export const notWritten = new EventRejection('invalid_request', 'Not written, because the batch is atomic.');
