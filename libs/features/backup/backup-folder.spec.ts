import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addToFolder } from './backup-folder.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tributary-backups-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const on = (day: number) => new Date(Date.UTC(2026, 10, day, 3, 17, 5, 123));

it('adds a file that only its owner can read, and keeps the newest ones', async () => {
  for (const day of [27, 28, 29, 30]) {
    const file = await addToFolder(folder, { backup: `of day ${day}`, keep: 2, now: on(day) });
    expect(file).toBe(join(folder, `definitions-2026-11-${day}T03-17-05Z.ndjson`));
    expect(readFileSync(file, 'utf8')).toBe(`of day ${day}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(readdirSync(folder).sort()).toEqual([
    'definitions-2026-11-29T03-17-05Z.ndjson',
    'definitions-2026-11-30T03-17-05Z.ndjson',
  ]);
});

it('removes the draft of a process that was killed, and leaves new drafts and files of others', async () => {
  const [left, current] = ['.definitions-a.ndjson.1.draft', '.definitions-b.ndjson.2.draft'];
  for (const name of [left, current, 'definitions.ndjson', 'notes.txt'])
    writeFileSync(join(folder, name), '');
  for (const [name, hour] of [
    [left, 1],
    [current, 3],
  ] as const)
    utimesSync(join(folder, name), on(28), new Date(Date.UTC(2026, 10, 28, hour)));
  await addToFolder(folder, { backup: 'today', keep: 1, now: on(28) });
  expect(readdirSync(folder).sort()).toEqual(
    [current, 'definitions-2026-11-28T03-17-05Z.ndjson', 'definitions.ndjson', 'notes.txt'].sort(),
  );
});

it('fails without the folder, and leaves the earlier backups if the new one cannot be written', async () => {
  await expect(addToFolder(join(folder, 'absent'), { backup: 'today', keep: 1 })).rejects.toThrow('ENOENT');
  const earlier = await addToFolder(folder, { backup: 'earlier', keep: 1, now: on(27) });
  mkdirSync(join(folder, 'definitions-2026-11-28T03-17-05Z.ndjson'));
  await expect(addToFolder(folder, { backup: 'today', keep: 1, now: on(28) })).rejects.toThrow();
  expect(readFileSync(earlier, 'utf8')).toBe('earlier');
});

it('fails, and removes nothing, if a backup is newer than the clock says', async () => {
  const ofWrongClock = await addToFolder(folder, {
    backup: 'next year',
    keep: 1,
    now: new Date('2027-11-28'),
  });
  const added = addToFolder(folder, { backup: 'today', keep: 1, now: on(28) });
  await expect(added).rejects.toThrow(
    `${ofWrongClock} has a later time in its name than now: check the clock`,
  );
  expect(readdirSync(folder)).toHaveLength(1);
});
