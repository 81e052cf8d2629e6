import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';

/** The folder belongs to a process that runs. */
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
 * Makes a folder this process's own until it lets it go or ends, however it ends.
 *
 * The lock is the file `lock.<n>` with the highest number: it names its process, and counts for nothing when that one
 * is gone. Whoever finds it so makes `lock.<n + 1>`, which only one can, and has the folder if nobody is higher by then:
 * whoever looked too long ago made a lower one. The highest is never removed, or a number could be made twice.
 * @returns what lets the folder go.
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

/** Makes the file with its content at once, so that nobody reads half of it. Resolves false when it is there already. */
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
    // Let go, or never had.
    return undefined;
  }
}
