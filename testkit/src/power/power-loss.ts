import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SeededRandom } from '../seeded-random.js';

/** What a loss of power took away. */
export interface LostBytes {
  /** Files that lost bytes, or all of them. */
  files: number;
  bytes: number;
  /** The lost bytes of each file, by its path within the folder, for the report of a failed test. */
  byFile: ReadonlyMap<string, number>;
}

export interface PowerLossOptions {
  random: SeededRandom;
  /**
   * Bytes that are older than this number of milliseconds count as written by the kernel, which writes everything back
   * after about 30 s (`vm.dirty_expire_centisecs`). Default: the kernel has written nothing, and only what was synced is
   * kept.
   */
  writtenBackMs?: number;
}

interface FileHistory {
  /** Sizes over time, oldest first. */
  sizes: { at: number; bytes: number }[];
}

interface RecordedFile {
  /** Bytes that were synced. */
  synced: number;
  /** Whether each write was synced. */
  always: boolean;
}

const source = join('testkit', 'src', 'power', 'record-syncs.c');
const sampleMs = 500;
/** Bytes of a page: the kernel writes whole pages. */
const pageBytes = 4096;

/** Compiles the recorder once for each test process. */
let compiled: Promise<string> | undefined;

async function compileRecorder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-power-'));
  const library = join(folder, 'record-syncs.so');
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source]).catch(
    (error: Error) => {
      throw new Error(`The recorder of synced bytes needs a C compiler (cc): ${error.message}`);
    },
  );
  process.once('exit', () => void rm(folder, { recursive: true, force: true }));
  return library;
}

/**
 * Lets the programs that use a folder lose power. The programs run with `env`, which records what they sync. After they
 * were killed, `cut` takes away what was not synced: `kill -9` alone keeps it in the page cache.
 *
 * The model is that of ext4 and XFS. Names of files are kept in their order (a journal writes them). Of each file, the bytes
 * up to the last sync are kept, and at random some pages after them; a file that was never synced may also be gone. Bytes that
 * are overwritten within the synced part of a file stay overwritten, and writes through a mapping stay: the logs of Kafka
 * and the parts of ClickHouse only grow.
 * Source: https://www.kernel.org/doc/html/latest/filesystems/ext4/ (data=ordered, delayed allocation)
 */
export class PowerLoss {
  private readonly histories = new Map<string, FileHistory>();
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly folder: string,
    private readonly library: string,
    private readonly record: string,
  ) {}

  /** @throws an Error without a C compiler */
  static async of(folder: string): Promise<PowerLoss> {
    const library = await (compiled ??= compileRecorder());
    return new PowerLoss(folder, library, join(tmpdir(), `tributary-syncs-${randomUUID()}`));
  }

  /** Environment variables for the programs that use the folder. */
  get env(): Record<string, string> {
    return { LD_PRELOAD: this.library, POWER_LOSS_RECORD: this.record };
  }

  /** Begins to watch how files grow, which `writtenBackMs` needs. */
  watch(): void {
    this.timer ??= setInterval(() => this.sample(), sampleMs);
  }

  /**
   * Declares that everything in the folder is on the disk now, as after half a minute without writes.
   * @param isWritten Selects files by their path within the folder. Default: all.
   */
  async writeBack(isWritten: (name: string) => boolean = () => true): Promise<void> {
    const lines: string[] = [];
    for (const { id, name, bytes } of filesIn(this.folder))
      if (isWritten(name)) lines.push(`S ${id} ${bytes}\n`);
    await appendFile(this.record, lines.join(''));
  }

  /** Returns how many syncs of files were recorded. */
  async syncs(): Promise<number> {
    return (await this.lines()).filter(([kind]) => kind === 'S').length;
  }

  /**
   * Takes away what was not synced. The programs must have been killed before.
   * @throws an Error if one of them has synced all files at once, which the recorder does not follow
   */
  async cut({ random, writtenBackMs = Infinity }: PowerLossOptions): Promise<LostBytes> {
    const recorded = this.readRecord(await this.lines());
    const lost = { files: 0, bytes: 0, byFile: new Map<string, number>() };
    const before = Date.now() - writtenBackMs;
    for (const { path, name, id, bytes } of filesIn(this.folder)) {
      const { synced = 0, always = false } = recorded.get(id) ?? {};
      const durable = always ? bytes : Math.max(synced, this.sizeAt(id, before));
      if (durable >= bytes) continue;
      const kept = keptBytes(random, { durable, bytes });
      if (kept === bytes) continue;
      if (durable === 0 && kept === 0 && random.chance(0.5)) await rm(path);
      else await truncate(path, kept);
      lost.files++;
      lost.bytes += bytes - kept;
      lost.byFile.set(name, bytes - kept);
    }
    // The files of now are what the disk has.
    this.histories.clear();
    await this.writeBack();
    return lost;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await rm(this.record, { force: true });
  }

  private sizeAt(id: string, time: number): number {
    const sizes = this.histories.get(id)?.sizes ?? [];
    // A file that became shorter since has at most the bytes of its shortest state.
    const from = sizes.findLastIndex(({ at }) => at <= time);
    return from < 0 ? 0 : Math.min(...sizes.slice(from).map(({ bytes }) => bytes));
  }

  private sample(): void {
    const at = Date.now();
    for (const { id, bytes } of filesIn(this.folder)) {
      const history = this.histories.get(id) ?? { sizes: [] };
      if (history.sizes.at(-1)?.bytes !== bytes) history.sizes.push({ at, bytes });
      this.histories.set(id, history);
    }
  }

  private async lines(): Promise<string[][]> {
    const text = await readFile(this.record, 'utf8').catch(() => '');
    return text.split('\n').map((line) => line.split(' '));
  }

  private readRecord(lines: readonly string[][]): Map<string, RecordedFile> {
    const files = new Map<string, RecordedFile>();
    for (const [kind, inode, seconds, nanoseconds, size] of lines) {
      if (kind === 'A') throw new Error('A program has synced all files at once (sync, syncfs)');
      const id = `${inode} ${seconds} ${nanoseconds}`;
      const file = files.get(id) ?? { synced: 0, always: false };
      const bytes = Number(size);
      if (kind === 'S') file.synced = Math.max(file.synced, bytes);
      if (kind === 'T') file.synced = Math.min(file.synced, bytes);
      if (kind === 'D') file.always = true;
      files.set(id, file);
    }
    return files;
  }
}

/** Returns how many bytes of a file are left: the synced ones, and perhaps some pages after them. */
function keptBytes(random: SeededRandom, { durable, bytes }: { durable: number; bytes: number }): number {
  if (random.chance(0.7)) return durable;
  const firstPage = Math.ceil(durable / pageBytes);
  const pages = Math.floor(bytes / pageBytes) - firstPage;
  return pages <= 0 ? durable : (firstPage + random.int(pages + 1)) * pageBytes;
}

interface FoundFile {
  path: string;
  /** Path within the folder. */
  name: string;
  /** An id that no file at the same time has: inode and time of birth. */
  id: string;
  bytes: number;
}

/**
 * Yields the regular files below a folder. Files and folders that are removed meanwhile are left out. The calls are synchronous: those of
 * `fs/promises` take ten times the processor time for thousands of files.
 */
function* filesIn(folder: string, within = ''): Generator<FoundFile> {
  for (const entry of unlessGone(() => readdirSync(join(folder, within), { withFileTypes: true })) ?? []) {
    const name = join(within, entry.name);
    if (entry.isDirectory()) yield* filesIn(folder, name);
    if (!entry.isFile()) continue;
    const path = join(folder, name);
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found) continue;
    const { ino, birthtimeNs, size } = found;
    const id = `${ino} ${birthtimeNs / 1_000_000_000n} ${birthtimeNs % 1_000_000_000n}`;
    yield { path, name, id, bytes: Number(size) };
  }
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
