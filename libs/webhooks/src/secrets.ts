import { secretNamePattern } from '#event';
import { webhookKey, webhookSecretRule } from './signature.js';

/** Returns why a list of `name=whsec_…` is invalid, without revealing any entry; undefined if it is valid. */
export function webhookSecretsError(secrets: readonly string[]): string | undefined {
  const names = new Set<string>();
  for (const [i, one] of secrets.entries()) {
    const [name, secret] = partsOf(one);
    // The error names the number of the entry only, because an invalid name may be a secret.
    const entry = `entry ${i + 1}`;
    if (!secretNamePattern.test(name)) return `${entry} must be name=whsec_…`;
    if (names.has(name)) return `${entry} has the same name as another entry`;
    if (!webhookKey(secret)) return `the secret of ${entry} ${webhookSecretRule}`;
    names.add(name);
  }
  return undefined;
}

/**
 * Parses a list of `name=whsec_…` into signing keys by name. @throws RangeError when `webhookSecretsError` returns an
 * error
 */
export function webhookKeys(secrets: readonly string[]): ReadonlyMap<string, Buffer> {
  const wrong = webhookSecretsError(secrets);
  if (wrong !== undefined) throw new RangeError(wrong);
  return new Map(secrets.map(partsOf).map(([name, secret]) => [name, webhookKey(secret)!]));
}

/** Splits an entry `name=whsec_…` at its first `=`: a name contains no `=`, but a secret in base64 may end with `=`. */
function partsOf(text: string): [name: string, secret: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
