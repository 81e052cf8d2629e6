import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';

/** How to generate a secret, and how to recognise a complete one. The file name is not part of it. */
interface SecretGenerator {
  /** Matches a complete secret. */
  valid: RegExp;
  make: () => string;
}

const password: SecretGenerator = {
  valid: /^[\w-]{32,}$/,
  make: () => randomBytes(24).toString('base64url'),
};

/**
 * Returns the secret in a file. If the file is missing or contains no complete secret, writes a new one, which only the
 * owner of the file may read. The default form is a password.
 */
export async function storedSecret(file: string, form: SecretGenerator = password): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (form.valid.test(kept)) return kept;
  const secret = form.make();
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return secret;
}

/** Creates a folder that only its owner may enter, or closes an existing folder to other users. */
export async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}
