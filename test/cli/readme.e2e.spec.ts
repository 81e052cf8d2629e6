import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useStack } from '../use-stack.js';
import { CommandLine } from './tributary.js';

const system = useStack({ processors: 1 });
let cli: CommandLine;
beforeAll(() => {
  const { urls, key } = system();
  cli = new CommandLine({ url: urls.query, ingestUrl: urls.ingest, key });
  mkdirSync(join(cli.folder, '.tributary'));
  writeFileSync(join(cli.folder, '.tributary/api-key'), key);
});
afterAll(() => cli.remove());

/** The `sh` blocks, each with the exit code that it announces: `# exits with 1`. */
function blocks(): { block: string; code: number }[] {
  const readme = readFileSync('packages/cli/README.md', 'utf8');
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => ({
    block,
    code: Number(/^# exits with (\d+)$/m.exec(block)?.[1] ?? 0),
  }));
}

it('the commands of the README do what it says, one after the other', async () => {
  const answers: string[] = [];
  for (const { block, code } of blocks()) {
    const ran = await cli.shell(`set -eu; export TRIBUTARY_KEY=${system().key}\n${block}`);
    expect(ran.code, `${block}\n${ran.stdout}${ran.stderr}`).toBe(code);
    answers.push(ran.stdout + ran.stderr);
  }
  const text = answers.join('');
  expect(text).toContain('3 accepted, 0 rejected\n');
  expect(text).toMatch(/^payments +payment\.made +p-2 .*\{"amount": 99\.00, "currency": "EUR"\}$/m);
  expect(text).toMatch(/^payment\.made +2$/m);
  expect(text).toMatch(/^ {2}amount: 12\.50$/m);
  expect(text).toContain('"event_type":"payment.returned"');
  expect(text).toMatch(/^\d+ bytes are in payments\.parquet\.$/m);
  expect(readFileSync(join(cli.folder, 'payments.parquet'), 'latin1')).toMatch(/^PAR1.*PAR1$/s);
  expect(readFileSync(join(cli.folder, 'payments.csv'), 'utf8').split('\r\n')).toHaveLength(4);
  expect(text).toMatch(/^EVENT_TYPE +EVENTS\npayment\.\w+ +\d$/m);
  expect(text).toContain('{"name":"events"}\n');
  expect(text).toContain('"path":"/retention"');
  expect(text).toMatch(/"action":"created","kind":"projection".*"action":"unchanged","kind":"projection"/s);
  expect(text).toMatch(/^payments_by_currency +1 /m);
  expect(text).toContain('--confirm payments');
  expect(text).toContain('deleted stream payments\n');
  expect(text).toMatch(/"name":"prod".*"protected":true/);
});
