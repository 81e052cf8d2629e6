import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortReservations } from './free-port.js';

const minute = 60_000;
let folder: string;
let now: number;
/** The reservations as one process sees them. */
const aProcess = () => new PortReservations(folder, () => now);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-ports-'));
  now = 1_000_000 * 10 * minute;
});
afterEach(() => rm(folder, { recursive: true }));

describe('a port that a process has reserved', () => {
  it('cannot be reserved again, neither by this process nor by another one', async () => {
    const first = aProcess();
    expect(await first.reserve(15_000)).toBe(true);
    expect(await first.reserve(15_000)).toBe(false);
    expect(await aProcess().reserve(15_000)).toBe(false);
    expect(await aProcess().reserve(15_001)).toBe(true);
  });

  it('is reserved by one of many that try at the same time', async () => {
    const tried = await Promise.all(Array.from({ length: 50 }, () => aProcess().reserve(15_000)));
    expect(tried.filter(Boolean)).toHaveLength(1);
  });

  it('stays reserved for ten minutes, and can be reserved after twenty', async () => {
    now += 9 * minute;
    await aProcess().reserve(15_000);
    now += 10 * minute;
    expect(await aProcess().reserve(15_000)).toBe(false);
    await aProcess().reserve(15_001);
    now += 20 * minute;
    expect(await aProcess().reserve(15_000)).toBe(true);
    expect(await readdir(folder)).toHaveLength(1);
  });
});
