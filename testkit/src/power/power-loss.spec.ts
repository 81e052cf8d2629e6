import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { PowerLoss } from './power-loss.js';

/** Inserts rows for ever, and prints the number of each row after its transaction was committed. */
const insertRows = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('PRAGMA journal_mode=' + sys.argv[2])
db.execute('PRAGMA synchronous=' + sys.argv[3])
db.execute('CREATE TABLE IF NOT EXISTS t (n INTEGER)')
n = db.execute('SELECT count(*) FROM t').fetchone()[0]
while True:
    db.execute('INSERT INTO t VALUES (?)', (n,))
    print(n, flush=True)
    n += 1
`;

const countRows = `
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM t').fetchone()[0])
`;

let folder: string;
let power: PowerLoss;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-power-'));
  power = await PowerLoss.of(folder);
});

afterEach(async () => {
  await power.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program until it has printed a line that `isEnough` accepts, kills it, and returns its lines. */
async function runUntil(args: string[], isEnough: (line: string) => boolean): Promise<string[]> {
  const child = spawn('python3', ['-c', ...args], {
    env: { ...process.env, ...power.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (isEnough(line)) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return lines;
}

/** Inserts at least 200 rows into SQLite, and returns how many were acknowledged. */
async function acknowledgedRows(journal: string, synchronous: string): Promise<number> {
  const database = join(folder, 'database');
  const lines = await runUntil([insertRows, database, journal, synchronous], (line) => Number(line) >= 200);
  return Number(lines.at(-1)) + 1;
}

/** Returns how many rows SQLite has; 0 if it has no table any more, or cannot read the file. */
async function rowsInSqlite(): Promise<number> {
  const child = spawn('python3', ['-c', countRows, join(folder, 'database')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return Number(text);
}

const cut = (seed: number, writtenBackMs = Infinity) =>
  power.cut({ random: new SeededRandom(seed), writtenBackMs });

describe('given SQLite that has acknowledged rows and is killed', () => {
  it.each(['DELETE', 'WAL'])(
    'when the power goes and it syncs each commit (%s), it has every acknowledged row',
    async (journal) => {
      const acknowledged = await acknowledgedRows(journal, 'FULL');
      await cut(1);
      expect(await rowsInSqlite()).toBeGreaterThanOrEqual(acknowledged);
    },
  );

  it.each(['DELETE', 'WAL'])(
    'when the power goes and it syncs nothing (%s), rows are lost',
    async (journal) => {
      const acknowledged = await acknowledgedRows(journal, 'OFF');
      const lost = await cut(1);
      expect(lost.bytes).toBeGreaterThan(0);
      expect(await rowsInSqlite()).toBeLessThan(acknowledged);
    },
  );

  it('when only the process is killed, it has every acknowledged row although it syncs nothing', async () => {
    const acknowledged = await acknowledgedRows('DELETE', 'OFF');
    expect(await rowsInSqlite()).toBeGreaterThanOrEqual(acknowledged);
  });

  it('when the power goes after the kernel has written everything back, nothing is lost', async () => {
    const acknowledged = await acknowledgedRows('DELETE', 'OFF');
    await power.writeBack();
    expect(await cut(1)).toMatchObject({ files: 0, bytes: 0 });
    expect(await rowsInSqlite()).toBeGreaterThanOrEqual(acknowledged);
  });
});

describe('given a program that writes a file', () => {
  const file = () => join(folder, 'file');
  const write = (body: string) =>
    runUntil(
      [
        `import os, sys\npath = sys.argv[1]\n${body}\nprint('done', flush=True)\nimport time\ntime.sleep(60)`,
        file(),
      ],
      (line) => line === 'done',
    );

  it('when it syncs the first half only, the file ends there or within the second half', async () => {
    await write(`f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'x' * 100_000)
os.fsync(f)
os.write(f, b'y' * 100_000)`);
    await cut(1);
    const { size } = await stat(file());
    expect(size).toBeGreaterThanOrEqual(100_000);
    expect(size).toBeLessThan(200_000);
  });

  it('when it syncs each write by O_DSYNC, nothing is lost', async () => {
    await write(`f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
os.write(f, b'x' * 100_000)`);
    expect(await cut(1)).toMatchObject({ files: 0 });
  });

  it('when it syncs, shortens the file and writes again without a sync, the new bytes are lost', async () => {
    await write(`f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'x' * 100_000)
os.fsync(f)
os.ftruncate(f, 0)
os.pwrite(f, b'y' * 4_000, 0)`);
    expect(await cut(1)).toMatchObject({ files: 1, bytes: 4_000 });
  });

  it('when it syncs a file, renames it and makes another with its name, only the second is lost', async () => {
    await write(`f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'x' * 1_000)
os.fsync(f)
os.rename(path, path + '.old')
f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'y' * 1_000)`);
    await cut(1);
    expect((await stat(`${file()}.old`)).size).toBe(1_000);
    expect((await readdir(folder)).includes('file') ? (await stat(file())).size : 0).toBe(0);
  });

  it('when a removed file leaves its inode to another, the sync of the first does not count for the second', async () => {
    await write(`for i in range(50):
    f = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(f, b'x' * 1_000)
    os.fsync(f)
    os.close(f)
    os.unlink(path)
f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'y' * 1_000)`);
    expect(await cut(1)).toMatchObject({ bytes: 1_000 });
  });

  it('when it wrote half of its bytes long ago, these count as written back', async () => {
    power.watch();
    await write(`import time
f = os.open(path, os.O_WRONLY | os.O_CREAT)
os.write(f, b'x' * 3_000)
time.sleep(2.5)
os.write(f, b'y' * 3_000)`);
    await cut(1, 1_200);
    expect((await stat(file())).size).toBe(3_000);
  });

  it('when it syncs all files at once, the loss is refused, because the recorder does not follow that', async () => {
    await write(`os.sync()`);
    await expect(cut(1)).rejects.toThrow('synced all files at once');
  });

  it('when the same seed is used again, the same bytes are lost', async () => {
    const lose = async () => {
      await write(`for i in range(20):
    f = os.open(path + str(i), os.O_WRONLY | os.O_CREAT)
    os.write(f, b'x' * 50_000)
    if i % 2: os.fsync(f)
    os.write(f, b'y' * 50_000)`);
      return (await cut(7)).byFile;
    };
    const first = await lose();
    await rm(folder, { recursive: true });
    await power.stop();
    folder = await mkdtemp(join(tmpdir(), 'tributary-power-'));
    power = await PowerLoss.of(folder);
    expect(new Map([...(await lose())].sort())).toEqual(new Map([...first].sort()));
  });
});
