import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderInUseError, lockFolder } from './folder-lock.js';
import { identify } from './process-identity.js';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is refused to a second process, with the id of the owner', async () => {
    await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toMatchObject({ pid: process.pid, folder });
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
  });

  it('can be acquired again after it was released', async () => {
    const unlock = await lockFolder(folder);
    await unlock();
    await expect(lockFolder(folder)).resolves.toBeTypeOf('function');
  });

  it('is ignored when its process was killed', async () => {
    const other = spawn('sleep', ['100']);
    await once(other, 'spawn');
    await writeFile(join(folder, 'lock.1'), JSON.stringify(await identify(other.pid ?? 0)));
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await expect(lockFolder(folder)).resolves.toBeTypeOf('function');
  });

  it('is ignored when its process id belongs to another process now', async () => {
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    await expect(lockFolder(folder)).resolves.toBeTypeOf('function');
  });

  it.each(['', '{"pid":', '{}', 'null', '[]'])('is ignored when it contains %j', async (text) => {
    await writeFile(join(folder, 'lock.1'), text);
    await expect(lockFolder(folder)).resolves.toBeTypeOf('function');
    await expect(lockFolder(folder)).rejects.toMatchObject({ pid: process.pid });
  });

  it('leaves one file behind after many changes of the owner', async () => {
    for (let i = 0; i < 5; i++) await (await lockFolder(folder))();
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('is acquired by exactly one of many processes that find it stale at the same moment', async () => {
    for (let round = 0; round < 30; round++) {
      const own = await mkdtemp(join(folder, 'round-'));
      await writeFile(join(own, 'lock.1'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
      const takers = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(own)));
      expect(takers.filter((taker) => taker.status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('is owned by one process at a time while several take turns', async () => {
    const exits = Array.from({ length: 4 }, async () => {
      const taker = spawn(process.execPath, ['--input-type=module', '-e', takeInTurns, folder], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return (await once(taker, 'exit'))[0] as number;
    });
    expect(await Promise.all(exits)).toEqual([0, 0, 0, 0]);
  });
});

/** Acquires and releases the lock for a second; exits with 1 if another process owns it at the same time. */
const takeInTurns = `
  import { mkdirSync, rmdirSync } from 'node:fs';
  import { join } from 'node:path';
  import { lockFolder } from '${new URL('folder-lock.js', import.meta.url).href}';
  const folder = process.argv[1];
  const end = Date.now() + 1000;
  while (Date.now() < end) {
    const unlock = await lockFolder(folder).catch((error) => {
      if (error.name !== 'FolderInUseError') throw error;
    });
    if (!unlock) continue;
    mkdirSync(join(folder, 'alone'));
    await new Promise((resolve) => setTimeout(resolve, 1));
    rmdirSync(join(folder, 'alone'));
    await unlock();
  }`;
