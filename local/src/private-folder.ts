import { chmod, mkdir, stat } from 'node:fs/promises';

/** Creates a folder that only its owner may enter, or closes an existing folder to other users. */
export async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}
