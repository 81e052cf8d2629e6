import { UsageError } from '../errors/cli-error.js';
import type { Connection } from './connection.js';

/** Refuses a change by a protected profile that the command does not spell out. @throws UsageError */
export function requireSpelledOut({ profile }: Connection): void {
  if (!profile?.protected || profile.spelledOut) return;
  throw new UsageError(
    `The profile "${profile.name}" is protected: a command that changes something spells it out, --profile ${profile.name}.`,
  );
}

/** Refuses to destroy something that is not named once more. @throws UsageError */
export function requireConfirmed(what: string, confirmed: string | undefined): void {
  if (confirmed === what) return;
  const said = confirmed === undefined ? '' : ` It is "${confirmed}".`;
  throw new UsageError(`This cannot be undone. Name what is destroyed once more: --confirm ${what}.${said}`);
}
