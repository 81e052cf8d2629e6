import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classArchive } from './class-archive.js';
import { startKafka } from './start.js';

/** Starts a broker and stops it: Java writes the archive when it ends. Two that run at once do not disturb each other. */
export async function makeClassArchive(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-classes-'));
  const partial = `${classArchive()}.partial-${process.pid}`;
  try {
    const javaFlags = [`-XX:ArchiveClassesAtExit=${partial}`];
    const broker = await startKafka({ dataDir: folder, shortLived: true, javaFlags });
    await broker.stop();
    await rename(partial, classArchive());
  } finally {
    await rm(partial, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}
