import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openClickHouse } from '#store';
import { startClickHouse } from './start.js';

const client = process.env.TEST_CLICKHOUSE_GO;

it.skipIf(!client)(
  'clickhouse-go looks into the store over native TCP, as docs/operations.md does',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tributary-native-'));
    const server = await startClickHouse({ dataDir, logsQueries: true });
    const database = 'tributary';
    const store = openClickHouse({ ...server, user: 'tributary', database });
    try {
      await store.migrate();
      const page = await readFile('docs/operations.md', 'utf8');
      const [, block = ''] = /^## Looking into the store$[^]*?^```sql\n([^]*?)^```$/m.exec(page) ?? [];
      const statements = block.split(';').filter((statement) => statement.trim() !== '');
      expect(statements).toHaveLength(2);
      const look = async () => {
        const args = [
          'native',
          `127.0.0.1:${server.tcpPort}`,
          server.password,
          database,
          JSON.stringify(statements),
        ];
        return JSON.parse((await promisify(execFile)(client ?? '', args)).stdout) as Record<string, unknown>;
      };
      expect(await look()).toMatchObject({
        version: expect.stringMatching(/^\d+\.\d+/) as string,
        events: 1_000,
        streamed: 1_000_000,
      });
      // ClickHouse writes its logs some seconds later.
      await expect
        .poll(async () => (await look())['rows'])
        .toEqual([expect.stringMatching(/^[1-9]\d*$/), expect.stringMatching(/^[1-9]\d*$/)]);
    } finally {
      await store.close();
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  },
);
