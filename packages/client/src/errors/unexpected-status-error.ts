import { TributaryError } from './tributary-error.js';

/** An answer with an error's status and without a problem document: something between client and server gave it. */
export class UnexpectedStatusError extends TributaryError {
  override readonly name = 'UnexpectedStatusError';

  constructor(
    readonly status: number,
    text: string,
    /** Seconds of `Retry-After`, where the answer had it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`HTTP ${status} without a problem document: ${text.slice(0, 200)}`);
  }
}
