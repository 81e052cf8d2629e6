import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from './replace-file.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-replace-'));
  file = join(folder, 'backup');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('replaces a file by one that only its owner can read, and leaves nothing beside it', async () => {
  for (const content of ['yesterday', 'today']) {
    await replaceFile(file, content);
    expect(readFileSync(file, 'utf8')).toBe(content);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['backup']);
});

it('given the draft of a process that was killed, or of another one that writes now, leaves it and replaces the file', async () => {
  const draft = `.backup.${process.pid}.draft`;
  writeFileSync(join(folder, draft), 'of another');
  await replaceFile(file, 'today');
  expect(readFileSync(file, 'utf8')).toBe('today');
  expect(readFileSync(join(folder, draft), 'utf8')).toBe('of another');
});

it('several writers at once leave one complete file', async () => {
  const contents = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000));
  await Promise.all(contents.map((content) => replaceFile(file, content)));
  expect(contents).toContain(readFileSync(file, 'utf8'));
  expect(readdirSync(folder)).toEqual(['backup']);
});

it('refuses a link, a folder and a pipe, and leaves them', async () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'of the target');
  symlinkSync(target, file);
  const [nowhere, made, pipe] = [join(folder, 'nowhere'), join(folder, 'made'), join(folder, 'pipe')];
  execFileSync('mkfifo', [pipe]);
  symlinkSync(join(folder, 'absent'), nowhere);
  mkdirSync(made);
  for (const name of [file, nowhere, made, pipe])
    await expect(replaceFile(name, 'today'), name).rejects.toThrow('is not a regular file');
  expect(readFileSync(file, 'utf8')).toBe('of the target');
  expect(readdirSync(folder).sort()).toEqual(['backup', 'made', 'nowhere', 'pipe', 'target']);
});
