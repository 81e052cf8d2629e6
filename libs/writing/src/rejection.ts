import { ProblemError, type InputError, type ProblemCode } from '#api';

/** Why one event was not taken. A batch lists them; for a single event it becomes the answer. */
export class Rejection {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly InputError[] = [],
  ) {}

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
