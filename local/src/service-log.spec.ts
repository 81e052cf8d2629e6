import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceLog } from './service-log.js';

describe('the log of a service', () => {
  let folder: string;
  let shown: string[];
  const log = (maxBytes?: number): ServiceLog =>
    new ServiceLog({ folder, name: 'app', maxBytes, show: (line) => shown.push(line) });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-log-'));
    shown = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps every line, and shows only errors and warnings of the service', async () => {
    const one = log();
    const lines = [
      '{"level":"info","msg":"started"}',
      '{"level":"warn","msg":"slow"}',
      '{"level":"warn","request_id":"r","status":504,"msg":"The position cannot be queried yet"}',
      '{"level":"error","request_id":"r","msg":"a mistake of ours"}',
      '{"level":"error","msg":"failed","err":{"message":"no disk"}}',
      '{"level":"warn","msg":"waiting for Kafka","reason":"refused","retry_in_ms":250}',
      '{"level":"warn","msg":"cannot be read yet","err":{"message":"no leader"},"topic":"a.b"}',
      '{"level":"error","msg":"cannot go on","pipeline":"mails","reason":"no secret"}',
      '{"level":"error","msg":"cannot go on","projection":"sums","reason":"another log"}',
      'SyntaxError: something',
      'INFO  [KafkaRaftServer nodeId=1] Kafka Server started',
      'ERROR Error when handling request: clientId=1 (org.apache.kafka.common.errors.NotControllerException: No controller appears to be active.)',
      'ERROR Disk error while writing (java.io.IOException: No space left on device)',
    ];
    lines.forEach((line) => one.line(line));
    expect(shown.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      'app warn slow',
      'app error a mistake of ours',
      'app error failed: no disk',
      'app warn waiting for Kafka: refused',
      'app warn cannot be read yet: no leader: topic a.b',
      'app error cannot go on: pipeline mails: no secret',
      'app error cannot go on: projection sums: another log',
      'app SyntaxError: something',
      'app ERROR Disk error while writing (java.io.IOException: No space left on device)',
    ]);
    await expect.poll(() => readFile(one.file, 'utf8')).toBe(`${lines.join('\n')}\n`);
  });

  it('does not exceed twice its limit', async () => {
    const one = log(1_000);
    for (let i = 0; i < 500; i++) one.line(`{"level":"info","msg":"line ${i}"}`);
    await expect.poll(() => readFile(one.file, 'utf8')).toContain('line 499');
    expect((await stat(one.file)).size).toBeLessThanOrEqual(1_000);
    expect((await stat(join(folder, 'app.1.log'))).size).toBeLessThanOrEqual(1_000);
  });
});
