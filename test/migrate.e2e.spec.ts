import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { appProgram } from '#local';
import { askClickHouse, freshNames, testEngines } from '#testkit';

function migrate(settings: Record<string, string>) {
  return spawn(process.execPath, [appProgram('materializer'), '--migrate'], {
    // Kafka is not available, because a migration does not need it.
    env: { PATH: process.env.PATH, KAFKA_BROKERS: '127.0.0.1:1', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('creates the tables and ends, and can be repeated', async () => {
  const engines = testEngines();
  const { database } = freshNames();
  for (let round = 0; round < 2; round++) {
    const child = migrate({
      CLICKHOUSE_URL: engines.clickhouseUrl,
      CLICKHOUSE_USER: 'tributary',
      CLICKHOUSE_PASSWORD: engines.clickhousePassword,
      CLICKHOUSE_DATABASE: database,
    });
    child.stdout.resume();
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
  const ask = async (query: string) => {
    const answer = await askClickHouse(engines, query);
    return (await answer.text()).trim();
  };
  expect(await ask(`EXISTS TABLE ${database}.events`)).toBe('1');
  await ask(`DROP DATABASE ${database} SYNC`);
});

it('fails if it is stopped while it waits, because the Job must not count as complete', async () => {
  const child = migrate({ CLICKHOUSE_URL: 'http://127.0.0.1:1' });
  for await (const lines of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    if (lines.includes('waiting for ClickHouse')) break;
  }
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(1);
});
