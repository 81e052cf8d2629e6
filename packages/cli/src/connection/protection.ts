import { UsageError } from '../errors/cli-error.js';
import type { ConnectionSettings } from './connection.js';

/** Refuses a change if the profile is protected and not named on the command line. @throws UsageError */
export function requireSpelledOut({ profile }: ConnectionSettings): void {
  if (!profile?.protected || profile.spelledOut) return;
  throw new UsageError(
    `The profile "${profile.name}" is protected: a command that changes something must name it, --profile ${profile.name}.`,
  );
}

const cannotBeUndone = 'This cannot be undone. Confirm it';

/** Refuses to destroy something unless its name was given in `--confirm`. @throws UsageError */
export function requireConfirmed(
  what: string,
  confirmed: string | undefined,
  why: string = cannotBeUndone,
): void {
  if (confirmed === what) return;
  const said = confirmed === undefined ? '' : ` The value of --confirm is "${confirmed}".`;
  throw new UsageError(`${why}: --confirm ${what}.${said}`);
}

/** Refuses to remove the protection of a profile unless its name was given in `--confirm`. @throws UsageError */
export function requireUnprotection(name: string, confirmed: string | undefined): void {
  requireConfirmed(name, confirmed, `The profile "${name}" is protected. Confirm it`);
}
