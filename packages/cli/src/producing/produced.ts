import { ProblemError, UnexpectedStatusError, UnknownOutcomeError } from '#client';
import { exitCodes, type ExitCode } from '../errors/exit-code.js';

/** Statuses that say something about one event, and nothing about the next one. */
const ofOneEvent = new Set([400, 409, 413, 422]);

/** Counts the outcomes of events. */
export class Produced {
  accepted = 0;
  rejected = 0;
  /** Why no further event is sent: without an answer, or with this key, it would end like the last one. */
  fatal: unknown;
  private unknown = 0;

  /** Takes the error of an event that was not accepted. */
  fail(error: unknown): void {
    if (error instanceof UnknownOutcomeError) this.unknown++;
    else this.rejected++;
    if (error instanceof UnknownOutcomeError || error instanceof UnexpectedStatusError) this.fatal ??= error;
    else if (error instanceof ProblemError && !ofOneEvent.has(error.status)) this.fatal ??= error;
  }

  /** Counts an event that was on its way when the program was interrupted. */
  interrupt(): void {
    this.unknown++;
  }

  /** Whether the error says of one more event what ended the run already. */
  repeats(error: unknown): boolean {
    const { fatal } = this;
    return (
      fatal instanceof UnexpectedStatusError && error instanceof UnexpectedStatusError && error !== fatal
    );
  }

  get count(): number {
    return this.accepted + this.rejected + this.unknown;
  }

  get exitCode(): ExitCode {
    if (this.unknown > 0) return exitCodes.unreachable;
    return this.rejected > 0 ? exitCodes.refused : exitCodes.done;
  }

  toString(): string {
    const parts = [`${this.accepted} accepted`, `${this.rejected} rejected`];
    if (this.unknown > 0) parts.push(`${this.unknown} unknown: stored or not`);
    return parts.join(', ');
  }
}
