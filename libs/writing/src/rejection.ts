import type { Position } from '#log';
import { ProblemError, type InputError, type ProblemCode } from '#api';

/** Where an event stands in the text of its request, and what is known of it although it was refused. */
export interface SentEvent {
  start: number;
  end: number;
  /** Where it was to go, unless no stream can be called so. */
  stream: string | undefined;
  entity_id: string | null;
  /** The id that it would have. */
  event_id: string;
}

/** Why one event was not taken. A batch lists them; for a single event it becomes the answer. */
export class Rejection {
  /** Known of an event that could be told apart from the others of its request. */
  readonly sent?: SentEvent;
  /** Where it is kept in the log. */
  readonly kept?: Position;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly InputError[] = [],
  ) {}

  /** The same, of this event. */
  of(sent: SentEvent): Rejection {
    return Object.assign(new Rejection(this.code, this.detail, this.errors), { sent });
  }

  /** The same, kept in the log. */
  keptAt(kept: Position): Rejection {
    return Object.assign(new Rejection(this.code, this.detail, this.errors), { kept, sent: this.sent });
  }

  /** The same, of an event of which nothing is known. */
  unknown(): Rejection {
    return new Rejection(this.code, this.detail, this.errors);
  }

  toProblem(): ProblemError {
    return new ProblemError(
      this.code,
      this.detail,
      this.errors.length > 0 ? { errors: [...this.errors] } : {},
    );
  }
}

/** A good event beside a bad one in an atomic batch. */
export const notWritten = new Rejection('invalid_request', 'Not written, because the batch is atomic.');
