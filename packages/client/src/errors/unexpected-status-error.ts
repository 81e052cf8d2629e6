import { TributaryError } from './tributary-error.js';

/** An answer with an error status but without a problem document: it comes from a proxy or another server. */
export class UnexpectedStatusError extends TributaryError {
  override readonly name = 'UnexpectedStatusError';

  constructor(
    readonly status: number,
    text: string,
    /** Seconds of `Retry-After`, if the answer has it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`HTTP ${status} without a problem document: ${text.slice(0, 200)}`);
  }
}
