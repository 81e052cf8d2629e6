import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessListFile } from './orphans.js';

describe('the record of processes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-record-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('given writes at the same time, has the last one, and no draft remains', async () => {
    const record = new ProcessListFile(folder);
    const writes = [[process.pid], [process.pid, process.ppid], [process.pid, process.ppid], []];
    await Promise.all(writes.map((pids) => record.write(pids)));
    expect(await readFile(join(folder, 'processes.json'), 'utf8')).toBe('[]');
    expect(await readdir(folder)).toEqual(['processes.json']);
  });
});
