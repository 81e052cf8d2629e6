import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './replace-file.js';

const backupName = /^definitions-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson$/;
const draftName = /^\.definitions-.+\.draft$/;
/** A draft of this age is not being written any more. */
const draftMs = 60 * 60 * 1000;

/** Error: the folder has a backup with a later time in its name, so a clock is or was wrong. */
export class NewerBackupError extends Error {
  override readonly name = 'NewerBackupError';

  constructor(file: string) {
    super(
      `${file} has a later time in its name than now: check the clock, and move away or rename that file.`,
    );
  }
}

/**
 * Adds a backup to the folder when all of it is on the disk, with the time in its name, and then removes the oldest
 * backups beyond `keep`. Other files stay. Returns the path of the backup.
 * @throws NewerBackupError before anything is written; an Error if the folder does not exist
 */
export async function addToFolder(
  folder: string,
  { backup, keep, now = new Date() }: { backup: string; keep: number; now?: Date },
): Promise<string> {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '-');
  const file = join(folder, `definitions-${time}Z.ndjson`);
  const newer = (await readdir(folder)).find((name) => backupName.test(name) && join(folder, name) > file);
  if (newer !== undefined) throw new NewerBackupError(join(folder, newer));
  await replaceFile(file, backup);
  const names = await readdir(folder);
  const old = names.filter((name) => backupName.test(name)).sort();
  for (const name of old.slice(0, -keep)) await rm(join(folder, name), { force: true });
  for (const name of names.filter((one) => draftName.test(one))) {
    const draft = await stat(join(folder, name)).catch(() => undefined);
    if (draft && now.getTime() - draft.mtimeMs > draftMs) await rm(join(folder, name), { force: true });
  }
  return file;
}
