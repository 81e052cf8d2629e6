import type { Position } from '#log';
import { ProblemError, type InputError, type ProblemCode } from '#api';

/** The place of a refused event in the text of its request, and the fields that are known. */
export interface SentEvent {
  start: number;
  end: number;
  /** The stream that it names, if that is a valid name. */
  stream: string | undefined;
  entity_id: string | null;
  /** The id that the event would have. */
  event_id: string;
}

/** Why one event was not taken. A batch lists them; for a single event it becomes the answer. */
export class Rejection {
  /** Undefined if the text of the event is not known. */
  readonly sent?: SentEvent;
  /** Its position in the log, if it is kept. */
  readonly kept?: Position;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly InputError[] = [],
  ) {}

  /** Returns the rejection of this event. */
  of(sent: SentEvent): Rejection {
    return Object.assign(new Rejection(this.code, this.detail, this.errors), { sent });
  }

  /** Returns the rejection with its position in the log. */
  keptAt(kept: Position): Rejection {
    return Object.assign(new Rejection(this.code, this.detail, this.errors), { kept, sent: this.sent });
  }

  /** Returns the rejection without the event. */
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
