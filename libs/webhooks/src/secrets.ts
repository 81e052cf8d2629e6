import { secretNamePattern } from '#event';
import { webhookKey, webhookSecretRule } from './signature.js';

/** What is wrong with a list of `name=whsec_…`, without showing any; undefined when nothing is. */
export function wrongInSecrets(secrets: readonly string[]): string | undefined {
  const names = new Set<string>();
  for (const [i, one] of secrets.entries()) {
    const [name, secret] = partsOf(one);
    // Only its number is shown: what stands where a name should be may be a secret.
    const entry = `entry ${i + 1}`;
    if (!secretNamePattern.test(name)) return `${entry} must be name=whsec_…`;
    if (names.has(name)) return `${entry} has a name that another has`;
    if (!webhookKey(secret)) return `the secret of ${entry} ${webhookSecretRule}`;
    names.add(name);
  }
  return undefined;
}

/** The keys by the names that definitions have for them. @throws RangeError for what `wrongInSecrets` names */
export function webhookKeys(secrets: readonly string[]): ReadonlyMap<string, Buffer> {
  const wrong = wrongInSecrets(secrets);
  if (wrong !== undefined) throw new RangeError(wrong);
  return new Map(secrets.map(partsOf).map(([name, secret]) => [name, webhookKey(secret)!]));
}

/** A secret in base64 may end in `=`, a name has none. */
function partsOf(text: string): [name: string, secret: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
