import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';

/** Error: another running process has locked the data folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  constructor(
    readonly folder: string,
    readonly pid: number,
  ) {
    super(`The data folder ${folder} is in use by process ${pid}`);
  }
}

/**
 * Locks a folder for this process, until the lock is released or the process ends for any reason.
 *
 * The lock is the file `lock.<n>` with the highest number. The lock file names the owning process and is ignored when
 * that process no longer runs. A process that finds a stale lock creates `lock.<n + 1>`, which only one process can
 * do. The process owns the folder if no higher file exists afterwards; a process with outdated information creates a
 * lower one. The highest file is never removed, because its number could then be used twice.
 * @returns a function that releases the lock.
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const self = await identify(process.pid);
  if (!self) throw new Error('This process cannot find itself among the processes of this machine');
  for (;;) {
    const last = await highest(folder);
    const owner = await readOwner(fileOf(folder, last));
    if (owner && (await isRunning(owner))) throw new FolderInUseError(folder, owner.pid);
    const own = last + 1;
    if (!(await make(fileOf(folder, own), self))) continue;
    if ((await highest(folder)) === own) {
      await removeBelow(folder, own);
      return () => writeFile(fileOf(folder, own), '');
    }
    await rm(fileOf(folder, own), { force: true });
  }
}

const fileOf = (folder: string, n: number): string => join(folder, `lock.${n}`);

async function numbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number);
}

async function highest(folder: string): Promise<number> {
  return Math.max(0, ...(await numbers(folder)));
}

/**
 * Creates the file together with its content, so that no process reads a part of it. Resolves false if the file
 * exists.
 */
async function make(file: string, owner: ProcessIdentity): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(owner));
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeBelow(folder: string, own: number): Promise<void> {
  for (const n of await numbers(folder)) {
    if (n < own) await rm(fileOf(folder, n), { force: true });
  }
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    const owner = JSON.parse(await readFile(file, 'utf8')) as Partial<ProcessIdentity>;
    return typeof owner.pid === 'number' && owner.started ? (owner as ProcessIdentity) : undefined;
  } catch {
    // The lock was released, or never acquired.
    return undefined;
  }
}
