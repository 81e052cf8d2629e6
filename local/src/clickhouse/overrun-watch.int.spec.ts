import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse } from '#testkit';
import { startClickHouse, type RunningClickHouse } from './start.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tributary-overrun-'));
const lines: string[] = [];
let running: RunningClickHouse;

const start = async () => {
  running = await startClickHouse({ dataDir, overrunSeconds: 9, onLog: (line) => lines.push(line) });
};
const ask = async (statement: string, search = '') => {
  const { url: clickhouseUrl, password: clickhousePassword } = running;
  const answer = await askClickHouse({ clickhouseUrl, clickhousePassword }, statement, search);
  return answer.text();
};
const ofAnalyst = '?readonly=1&max_execution_time=1';
/** Compares each of 3 million elements with each of 3 million others, for an hour. */
const endless = 'SELECT hasAny(range(3000000), range(3000000, 6000000))';

beforeAll(start);
afterAll(async () => {
  await running.stop();
  rmSync(dataDir, { recursive: true });
});

describe('a statement of an analyst that cannot be cancelled', () => {
  it('given that it overruns its time limit, then the engine ends, says why, and keeps its data', async () => {
    await ask('CREATE TABLE kept (n UInt8) ENGINE = MergeTree ORDER BY n');
    await ask('INSERT INTO kept VALUES (7)');
    const cut = ask(endless, ofAnalyst);
    await expect(cut).rejects.toThrow();
    expect(await running.ended).toContain('SIGKILL');
    expect(lines.join('\n')).toContain('could not be cancelled');
    await start();
    expect(await ask('SELECT n FROM kept')).toBe('7\n');
  });

  it('leaves connections to the statements of others before that', async () => {
    const cut = Promise.allSettled(Array.from({ length: 4 }, () => ask(endless, ofAnalyst)));
    for (let n = 0; n < 2; n++) expect(await ask('SELECT 1')).toBe('1\n');
    await cut;
    await running.ended;
    await start();
  });

  it('given that it ends in time, and its client reads the answer late, then the engine goes on', async () => {
    const { url: clickhouseUrl, password: clickhousePassword } = running;
    // JSON is computed as a whole, and then sent: more than the sockets of both sides hold.
    const large = "SELECT repeat('x', 1000) FROM numbers(60000) FORMAT JSON";
    const answer = await askClickHouse({ clickhouseUrl, clickhousePassword }, large, ofAnalyst);
    await sleep(11_000);
    expect((await answer.text()).length).toBeGreaterThan(60_000_000);
    expect(await ask('SELECT 1', ofAnalyst)).toBe('1\n');
  });

  it('given that it ends in time, then the engine goes on', async () => {
    expect(await ask('SELECT 1', ofAnalyst)).toBe('1\n');
    expect(await ask('SELECT sleepEachRow(1) FROM numbers(4) SETTINGS max_block_size = 1')).toContain('0\n');
    expect(await ask('SELECT 1', ofAnalyst)).toBe('1\n');
  });
});
