import { UsageError } from '../errors/cli-error.js';

/** Validates the name of a profile. @throws UsageError */
export function requireProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    `"${name}" is not a name for a profile: use letters, digits, ".", "_" and "-", at most 64.`,
  );
}
