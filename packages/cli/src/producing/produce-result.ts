import { ProblemError, UnexpectedStatusError, UnknownOutcomeError } from '#client';
import { exitCodes, type ExitCode } from '../errors/exit-code.js';

/** Statuses that concern only one event, not the following ones. */
const ofOneEvent = new Set([400, 409, 412, 413, 422]);

/** Counts how many events of `tributary produce` were written, refused or interrupted. */
export class ProduceResult {
  accepted = 0;
  rejected = 0;
  /** The reason to send no further events: without an answer, or with this key, they would fail in the same way. */
  fatal: unknown;
  private unknown = 0;

  /** Counts an event by its error: as rejected, or as unknown if no answer told whether the event was written. */
  fail(error: unknown): void {
    if (error instanceof UnknownOutcomeError) this.unknown++;
    else this.rejected++;
    if (error instanceof UnknownOutcomeError || error instanceof UnexpectedStatusError) this.fatal ??= error;
    else if (error instanceof ProblemError && !ofOneEvent.has(error.status)) this.fatal ??= error;
  }

  /** Counts an event that was in flight when the program was interrupted. */
  interrupt(): void {
    this.unknown++;
  }

  /** Whether the error is the one that has already ended the command. */
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
    if (this.count === 0) return exitCodes.differs;
    if (this.unknown > 0) return exitCodes.unreachable;
    return this.rejected > 0 ? exitCodes.refused : exitCodes.done;
  }

  toString(): string {
    if (this.count === 0) return 'No event was read: write one JSON object per line.';
    const parts = [`${this.accepted} accepted`, `${this.rejected} rejected`];
    if (this.unknown > 0) parts.push(`${this.unknown} with unknown outcome`);
    return parts.join(', ');
  }
}
