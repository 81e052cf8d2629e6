import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces the file by one with this content, which only its owner can read, when all of it is on the disk. After a
 * crash, the former file is complete; a draft beside it, `.<name>.<random>.draft`, may remain.
 * @throws an Error if the file is a link, a folder or a device
 */
export async function replaceFile(file: string, content: string): Promise<void> {
  const former = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  // A rename would replace a link or a device itself.
  if (former && !former.isFile())
    throw new Error(`${file} is not a regular file. Name a file, or leave out --file for standard output.`);
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}.draft`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(file));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
