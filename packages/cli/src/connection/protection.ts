import { UsageError } from '../errors/cli-error.js';
import type { Connection } from './connection.js';

/** Refuses a change by a protected profile that the command does not spell out. @throws UsageError */
export function requireSpelledOut({ profile }: Connection): void {
  if (!profile?.protected || profile.spelledOut) return;
  throw new UsageError(
    `The profile "${profile.name}" is protected: a command that changes something spells it out, --profile ${profile.name}.`,
  );
}

const cannotBeUndone = 'This cannot be undone. Name what is destroyed once more';

/** Refuses to destroy something that is not named once more. @throws UsageError */
export function requireConfirmed(
  what: string,
  confirmed: string | undefined,
  why: string = cannotBeUndone,
): void {
  if (confirmed === what) return;
  const said = confirmed === undefined ? '' : ` It is "${confirmed}".`;
  throw new UsageError(`${why}: --confirm ${what}.${said}`);
}

/** Refuses to end the protection of a profile that is not named once more. @throws UsageError */
export function requireUnprotection(name: string, confirmed: string | undefined): void {
  requireConfirmed(name, confirmed, `The profile "${name}" is protected. Name it once more`);
}
