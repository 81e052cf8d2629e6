import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { peerProgram, programOnPath, withPeer } from './peer-program.js';

const answering = `
  const { createServer } = require('node:http');
  require('node:fs').mkdirSync(process.env.ALLSOURCE_DATA_DIR);
  const answer = JSON.stringify({ version: '1.2.3', pid: process.pid });
  createServer((_, response) => response.end(answer)).listen(process.env.ALLSOURCE_PORT, '127.0.0.1');`;

describe('the program of the peer', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'peer-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function programThat(does: string): Promise<string> {
    await mkdir(join(root, 'bin'));
    const program = join(root, 'bin', peerProgram);
    await writeFile(program, `#!${process.execPath}\n${does}`);
    await chmod(program, 0o755);
    return program;
  }

  it('is found on the PATH', async () => {
    const program = await programThat(answering);
    expect(programOnPath(`${root}:${join(root, 'bin')}`)).toBe(program);
    expect(programOnPath(root)).toBeUndefined();
  });

  it('runs while it is used, and leaves neither a process nor its data', async () => {
    const settings = { program: await programThat(answering), folder: join(root, 'data') };
    const pid = await withPeer(settings, async ({ url, version }) => {
      expect(version).toBe('1.2.3');
      expect(existsSync(settings.folder)).toBe(true);
      return ((await (await fetch(url)).json()) as { pid: number }).pid;
    });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(existsSync(settings.folder)).toBe(false);
  });

  it('fails if it ends before it answers', async () => {
    const settings = { program: await programThat('process.exit(1)'), folder: join(root, 'data') };
    await expect(withPeer(settings, () => Promise.resolve())).rejects.toThrow('ended before it was ready');
  });
});
