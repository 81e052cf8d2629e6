import type { RecordPosition } from '#kafka';
import { hasCharacters } from '#json';
import { ProblemError, type InputProblem, type ProblemCode } from '#api';
import { limits } from '#event';

/** Position of a rejected event in the text of its request, and those of its fields that are needed to keep it. */
export interface RejectedEventRangeAndIds {
  start: number;
  end: number;
  /** Stream of the rejected event; undefined if the name is not valid. */
  stream: string | undefined;
  entity_id: string | null;
  /** The id that the event would have had. */
  event_id: string;
}

/** Maximum number of characters of a `reason`. */
const mostCharacters = 500;

/**
 * The reason why one event of a write request was not accepted. The answer to a batch lists rejections; a rejected
 * single event is answered with a problem.
 */
export class EventRejection {
  /** The rejected event; undefined if its text is not known. */
  readonly sent?: RejectedEventRangeAndIds;
  /**
   * Partition and offset of the record that keeps the rejected event, or of the conditional record that was refused or
   * is undecided. Undefined if there is no record.
   */
  readonly kept?: RecordPosition;
  /** The version that the entity had, for `version_conflict`. */
  readonly currentVersion?: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly InputProblem[] = [],
  ) {}

  /**
   * Returns this rejection with the position and the fields of the rejected event. An entity id that no event may have is
   * left out: a record has room for a valid one only.
   */
  of({ entity_id, ...sent }: RejectedEventRangeAndIds): EventRejection {
    const isEntity = entity_id !== null && hasCharacters(entity_id, { most: limits.entityIdCharacters });
    return Object.assign(this.unknown(), {
      sent: { ...sent, entity_id: isEntity ? entity_id : null },
    });
  }

  /**
   * Returns this rejection with the partition and offset of the record that keeps the event, and the version that the
   * entity had.
   */
  keptAt(kept: RecordPosition, currentVersion?: number): EventRejection {
    const { sent } = this;
    return Object.assign(this.unknown(), { kept, sent, currentVersion });
  }

  /**
   * Whether the event is a conditional write whose record is in Kafka, but was refused by the materializer or is not
   * decided yet.
   */
  get isConditional(): boolean {
    return ['version_conflict', 'partial_repeat', 'undecided'].includes(this.code);
  }

  /**
   * The detail with the first error, on one line of bounded length, for answers that list only one text for each event.
   * The pointer of the first error leads into the event.
   */
  get reason(): string {
    const [first] = this.errors;
    if (!first) return this.detail;
    const pointer = first.pointer.replace(/^(\/events)?\/\d+/, '');
    const reason = [this.detail, pointer, first.detail].filter(Boolean).join(' ');
    return reason.length > mostCharacters ? `${reason.slice(0, mostCharacters)}…` : reason;
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

/** Result of a valid event in an atomic batch that also contains a rejected one. */
export const notWritten = new EventRejection('invalid_request', 'Not written, because the batch is atomic.');
