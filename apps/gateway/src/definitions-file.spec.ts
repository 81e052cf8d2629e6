import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = 'dist/apps/gateway/src/definitions-file.js';
const header = '{"tributary_definitions":1,"records":0}\n';

interface ProgramResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program with this broker; it is killed if it does not end within a minute. */
function run(broker: string, args: string[], input = ''): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, KAFKA_BROKERS: broker };
    const options = { env, timeout: 60_000 };
    const child = execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

describe('the program for backups of the definitions, without Kafka', () => {
  const silent = createServer();
  let folder: string;
  let brokers: string[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-definitions-'));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    brokers = ['127.0.0.1:1', `127.0.0.1:${(silent.address() as AddressInfo).port}`];
  });
  afterAll(() => {
    silent.close();
    rmSync(folder, { recursive: true });
  });

  it('ends with an error, and leaves the file of yesterday', async () => {
    const file = join(folder, 'definitions.ndjson');
    writeFileSync(file, 'yesterday');
    const results = await Promise.all([
      ...brokers.map((broker) => run(broker, ['export', '--file', file])),
      run(brokers[0]!, ['export', '--folder', folder, '--keep', '1']),
      run(brokers[0]!, ['import'], header),
    ]);
    for (const { code, stdout, stderr } of results) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/Kafka at 127\.0\.0\.1:\d+ does not answer: .*KAFKA_SASL_MECHANISM/);
    }
    expect(readFileSync(file, 'utf8')).toBe('yesterday');
    expect(readdirSync(folder)).toEqual(['definitions.ndjson']);
  });

  it('rejects half a file, an empty one and one of another format before it connects to Kafka', async () => {
    const half = '{"tributary_definitions":1,"records":1}\n';
    const marked = join(folder, 'byte-order-mark.ndjson');
    writeFileSync(marked, `\uFEFF${half}`);
    const replace = ['import', '--replace'];
    const results = await Promise.all([
      run(brokers[0]!, replace, half),
      run(brokers[0]!, [...replace, '--file', marked]),
      run(brokers[0]!, replace, header),
      run(brokers[0]!, replace, '{"tributary_definitions":2,"records":0}\n'),
    ]);
    const problems = ['it is incomplete', 'it is incomplete', 'The file has 0 records', 'has format 2'];
    for (const [i, problem] of problems.entries())
      expect(results[i]).toMatchObject({ code: 1, stderr: expect.stringContaining(problem) as string });
  });

  it('explains its use after wrong arguments', async () => {
    const wrong = [
      ['export', '--replace'],
      ['import', '--force'],
      ['import', '--folder', '.'],
      ['export', '--keep', '3'],
      ['export', '--folder', '.', '--keep', '0'],
      ['export', '--folder', '.', '--file', 'definitions.ndjson'],
    ];
    const results = await Promise.all(wrong.map((args) => run(brokers[0]!, args)));
    for (const [i, { code, stderr }] of results.entries()) {
      expect(code, String(wrong[i])).toBe(64);
      expect(stderr).toMatch(/^Usage: /);
    }
  });
});
