import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PositionFile } from './follow.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tributary-position-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the file of a position', () => {
  it('contains the last position after a save, and can be read again', async () => {
    const file = join(folder, 'position');
    const first = new PositionFile(file);
    expect(await first.read()).toBeUndefined();
    await first.move('a');
    await first.move('b');
    await first.save();
    expect(readFileSync(file, 'utf8')).toBe('b\n');
    expect(await new PositionFile(file).read()).toBe('b');
  });

  it('is written by one write at a time, and leaves no temporary file', async () => {
    const file = join(folder, 'often');
    const positions = new PositionFile(file);
    await Promise.all(['a', 'b', 'c'].map((position) => positions.move(position)));
    await positions.save();
    expect(readFileSync(file, 'utf8')).toBe('c\n');
    expect(readdirSync(folder).filter((name) => name.startsWith('often'))).toEqual(['often']);
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is damaged'],
    ['abc', 'is damaged'],
    ['a\nb\n', 'is damaged'],
    ['\0\0\0\0', 'is damaged'],
  ])('%j is not a valid position', async (content, message) => {
    const file = join(folder, 'wrong');
    writeFileSync(file, content);
    await expect(new PositionFile(file).read()).rejects.toThrow(`${file} ${message}`);
  });

  it('names the file that cannot be written', async () => {
    const file = join(folder, 'nothing', 'position');
    await expect(new PositionFile(file).move('a')).rejects.toThrow(`${file} cannot be written`);
  });
});
