import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { UsageError } from '../errors/cli-error.js';

const run = promisify(execFile);

/** Milliseconds that the key command may take: it may ask for a passphrase. */
const commandTimeoutMs = 60_000;

/** Sources of an API key. The first source that is set is used, in the order command, file, value. */
export interface ApiKeySources {
  command?: string;
  file?: string;
  value?: string;
}

/** Returns the API key, or undefined without a source. @throws UsageError */
export async function readKey({ command, file, value }: ApiKeySources): Promise<string | undefined> {
  if (command) return requireKey(await printedBy(command), 'The key command');
  if (file) return requireKey(await privateText(file), file);
  return value ? requireKey(value, 'TRIBUTARY_KEY') : undefined;
}

async function printedBy(command: string): Promise<string> {
  try {
    return (await run('/bin/sh', ['-c', command], { timeout: commandTimeoutMs })).stdout;
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    throw new UsageError(`The key command failed (${String(code)}): ${stderr?.trim() ?? ''}`);
  }
}

/** Reads a private file. @throws UsageError if other users can read the file */
async function privateText(file: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new UsageError(`Other users can read the key in ${file}. Do: chmod 600 '${file}'`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The file of the key cannot be read: ${(error as Error).message}`);
  }
}

/** Returns the key in a file that `--keys-to` has written for one key. */
function issuedKeyIn(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { key } = JSON.parse(text) as { key?: unknown };
    return typeof key === 'string' ? key : undefined;
  } catch {
    // Several keys, each in a line, or another text.
    return undefined;
  }
}

/** Validates a key. An error never contains the text of the key. @throws UsageError */
function requireKey(text: string, from: string): string {
  const key = issuedKeyIn(text) ?? text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    `${from} does not contain an API key: a key is one word, or the only line of a file that --keys-to has written.`,
  );
}
