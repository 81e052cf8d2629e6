import type { Problem } from '../types/index.js';
import { TributaryError } from './tributary-error.js';

/**
 * The server refused the request. Each known `code` has a subclass; this class itself is used for codes that this
 * version of the client does not know.
 */
export class ProblemError extends TributaryError {
  override readonly name: string;
  readonly code: string;
  readonly status: number;

  constructor(
    /** The problem document (RFC 9457) of the answer. */
    readonly problem: Problem,
    /** Seconds of `Retry-After`, if the answer has it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(withErrors(problem));
    this.code = problem.code;
    this.status = problem.status;
    this.name = nameOf(problem.code);
  }
}

function withErrors({ detail, errors = [] }: Problem): string {
  const [first, second] = errors;
  // The detail of many problems with one error already contains it.
  if (first && !second && detail.includes(first.detail.replace(/\.$/, '')))
    return first.pointer ? `${first.pointer}: ${detail}` : detail;
  const listed = errors.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`);
  return detail + listed.join('');
}

/** The names of the classes whose problem code alone would not say what is meant. */
const otherNames = new Map([
  ['not_found', 'AddressNotFoundError'],
  ['key_not_found', 'ApiKeyNotFoundError'],
  ['key_inactive', 'ApiKeyInactiveError'],
]);

/** Returns the class name, `StreamNotFoundError` for `stream_not_found`, even if a bundler has renamed the class. */
function nameOf(code: string): string {
  const other = otherNames.get(code);
  if (other !== undefined) return other;
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('').replace(/Error$/, '')}Error`;
}
