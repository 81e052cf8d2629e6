import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds for which a reservation holds at least. */
const periodMs = 600_000;

/**
 * Reservations of ports that all processes of a user share, as empty files in one folder. A reservation lasts ten to twenty
 * minutes, and longer if others try meanwhile: until then the process that reserved the port listens on it. Each period has a folder of its own, so
 * no process ever removes a reservation that another one has just made.
 */
export class PortReservations {
  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Reserves a port. Returns false if a process, or this one, has reserved it already. */
  async reserve(port: number): Promise<boolean> {
    const period = Math.floor(this.now() / periodMs);
    const current = join(this.folder, String(period));
    if (await mkdir(current, { recursive: true, mode: 0o700 })) await this.removeBefore(period - 1);
    if (!(await isCreated(join(current, String(port))))) return false;
    return !existsSync(join(this.folder, String(period - 1), String(port)));
  }

  private async removeBefore(period: number): Promise<void> {
    const old = (await readdir(this.folder)).filter((name) => Number(name) < period);
    await Promise.all(old.map((name) => rm(join(this.folder, name), { recursive: true, force: true })));
  }
}

/** Creates a file; returns false if it exists. */
async function isCreated(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
