import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';

export interface SecretForm {
  /** Matches a complete secret. */
  valid: RegExp;
  make: () => string;
}

const password: SecretForm = {
  valid: /^[\w-]{32,}$/,
  make: () => randomBytes(24).toString('base64url'),
};

/**
 * Returns the secret in a file. The secret is created once, and only its owner may read the file. The default form is
 * a password.
 */
export async function storedSecret(file: string, form: SecretForm = password): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (form.valid.test(kept)) return kept;
  const secret = form.make();
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return secret;
}
