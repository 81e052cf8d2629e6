import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { chosenCases, until } from '#testkit';
import { useStack } from './use-stack.js';

const system = useStack({ processors: 1, sql: true });
const run = promisify(execFile);

/** What `execFile` throws for a command that failed, or that its time-out ended. */
interface FailedCommand {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Returns the `sh` blocks of a document, or of the part that starts with this heading. */
function commandsIn(document: string, heading?: string): string[] {
  const text = readFileSync(document, 'utf8');
  const parts = text.split(/^## /m);
  const section = heading ? (parts.find((part) => part.toLowerCase().startsWith(heading)) ?? '') : text;
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
}

/** Replaces the ports in a command by those of this test. */
function onThesePorts(command: string): string {
  const { core, query, ingest } = system().urls;
  return command
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3900/g, core)
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3902/g, query)
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3901/g, ingest);
}

/** Returns the shell function for `npx tributary` with the ports of this test. */
function commandLine(): string {
  const { query, ingest } = system().urls;
  const program = `'${process.execPath}' '${resolve('dist/packages/cli/src/main.js')}'`;
  const run = `TRIBUTARY_URL=${query} TRIBUTARY_INGEST_URL=${ingest} ${program} "$@"`;
  return `npx() { [ "$1" = tributary ]; shift; ${run}; }`;
}

/** Returns a folder like after `npm start`, with the key of this test's system. */
function folderWithKey(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-tour-'));
  mkdirSync(join(folder, '.tributary'));
  writeFileSync(join(folder, '.tributary', 'api-key'), system().key);
  return folder;
}

/**
 * Runs the blocks in one shell, so a block can use the variables of an earlier one. Returns the output of each. A
 * block whose answer is a problem has a comment: `# answers 422 schema_violation`.
 */
async function outputsOf(blocks: readonly string[]): Promise<string[]> {
  const parts = blocks.map((block) => `echo "## next block"; ${onThesePorts(block)}`);
  const script = [commandLine(), ...parts].join('\n');
  const cwd = folderWithKey();
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: cwd },
    timeout: 270_000,
  }).catch(({ code, signal, stdout, stderr }: FailedCommand) => {
    const printed = [stdout, stderr].map((text) => text.slice(-1500)).join('\n');
    throw new Error(`The commands ended with ${code ?? signal}. They printed last: ${printed}`);
  });
  rmSync(cwd, { recursive: true });
  const outputs = stdout.split('## next block\n').slice(1);
  expect(outputs).toHaveLength(blocks.length);
  outputs.forEach((output, i) => {
    const announced = /^# answers \d+ (\w+)$/m.exec(blocks[i] ?? '')?.[1];
    const code = /"type":"urn:tributary:problem:(\w+)"/.exec(output)?.[1];
    expect(code, `${blocks[i]}\n${output}`).toBe(announced);
  });
  return outputs;
}

/** A text without what differs from run to run: ids, times, positions in the log, and the width of columns. */
function comparable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(partition|offset)":\d+/g, '"$1":<number>')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

/** Returns the lines of output that a page shows: those that begin with `#>`. */
function shownIn(blocks: readonly string[]): string[] {
  return [...blocks.join('\n').matchAll(/^#> (.*)$/gm)].map(([, line = '']) => line);
}

describe('the tour in the README', () => {
  it('prints the answers that it shows', async () => {
    const [tour = '', ...others] = commandsIn('README.md', 'tour');
    expect(others).toEqual([]);
    const answers = shownIn([tour]);
    expect(answers.length).toBeGreaterThan(8);
    expect(comparable((await outputsOf([tour])).join(''))).toBe(comparable(answers.join('\n')));
  });
});

describe('the README', () => {
  it('is at most 180 lines long', () => {
    expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(180);
  });
});

/** The pages whose commands run one after the other; `npm test` runs some of them. */
const pages = [
  'docs/tutorial.md',
  'docs/metering.md',
  'docs/reports.md',
  'docs/first-day.md',
  'docs/http.md',
  'docs/analysts.md',
  'docs/data.md',
  'docs/conditional-writes.md',
  'docs/schemas.md',
  'docs/projections.md',
  'docs/pipelines.md',
  'docs/entities.md',
  'docs/intake.md',
  'docs/live.md',
  'docs/subscriptions.md',
];
const chosen = chosenCases(pages, 7);

function describePage(page: string, specs: () => void): void {
  if (!pages.includes(page)) throw new Error(`${page} is not among the pages that may be chosen`);
  describe.runIf(chosen.includes(page))(`the commands in ${page}`, specs);
}

for (const page of ['docs/tutorial.md', 'docs/metering.md', 'docs/reports.md']) {
  describePage(page, () => {
    it('work one after the other and print the lines that the page shows', async () => {
      const blocks = commandsIn(page);
      const shown = shownIn(blocks);
      expect(shown.length).toBeGreaterThan(4);
      const printed = comparable((await outputsOf(blocks)).join('')).split('\n');
      for (const line of shown) expect(printed).toContain(comparable(line));
    });
  });
}

describePage('docs/first-day.md', () => {
  it('work one after the other as printed', async () => {
    const answers = (await outputsOf(commandsIn('docs/first-day.md'))).join('');
    expect(answers).toContain('"retention":{"time":"90d"');
    expect(answers).toContain('"id_window_seconds"');
    expect(answers).toContain('stream.created');
  });
});

describePage('docs/http.md', () => {
  it('work one after the other as they are printed', async () => {
    const blocks = commandsIn('docs/http.md');
    const outputs = await outputsOf(blocks);
    outputs.forEach((output, i) => {
      if (blocks[i]?.includes('curl')) expect(output.trim(), blocks[i]).not.toBe('');
    });
    const answers = outputs.join('');
    expect(answers).toContain('"event_type":"order.shipped"');
    expect(answers).toContain('{"group":"order.placed","count":2}');
    expect(answers).toContain('"member":"event.data.amont"');
    expect(answers).toContain('"version":3');
    expect(answers).toContain('"carrier":"post"},"from_snapshot":null');
    expect(answers).toContain('"total":4');
    expect(answers).toMatch(/^order\.placed\t\d/m);
    expect(answers).toContain('4 shop.ndjson\n');
    expect(answers).toContain('"state":{"orders":2,"revenue":111.5}');
    expect(answers).toContain('"name":"shop_large"');
    expect(answers).toContain('"pointer":"/data/amount"');
    expect(answers).toMatch(/"key":"trb_/);
  });
});

describePage('docs/analysts.md', () => {
  it('work one after the other, with the events of the tour', async () => {
    const outputs = await outputsOf(commandsIn('docs/analysts.md'));
    expect(outputs[1]).toMatch(/"key":"trb_/);
    expect(outputs[2]).toContain('"event_type":"order.placed"');
    expect(outputs[2]).toMatch(/^order\.placed\t\d+$/m);
  });
});

describePage('docs/data.md', () => {
  it('work one after the other as printed', async () => {
    const answers = (await outputsOf(commandsIn('docs/data.md'))).join('');
    expect(answers).toContain('"retention":{"time":"7d","bytes":10000000000}');
    expect(answers).toContain('"events_erased":1,"pending":false');
    expect(answers).toContain('"dry_run":true,"matched":0');
    expect(answers).toMatch(/"action":"(deleted|deletion_begun|erased)"/);
  });
});

describePage('docs/conditional-writes.md', () => {
  it('work one after the other as printed', async () => {
    const answers = (await outputsOf(commandsIn('docs/conditional-writes.md'))).join('');
    expect(answers).toMatch(/"version":1}[^]*"version":2}[^]*"current_version":2/);
    expect(answers).toContain('"to":"ann"');
  });
});

describePage('docs/schemas.md', () => {
  it('work one after the other as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/schemas.md'));
    const answers = outputs.join('');
    expect(answers).toContain('"mode":"enforce"');
    expect(answers).toContain('"compatible":false,"version":2');
    expect(answers).toContain('(required_attribute_added)');
    expect(answers).not.toContain('property_removed_from_closed_content_model');
    expect(outputs.at(-1)).toContain('"version":1,');
  });
});

describePage('docs/projections.md', () => {
  it('work one after the other as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/projections.md'));
    const answers = outputs.join('');
    expect(answers).toContain('"state":{"sales":2,"revenue":111.5,"customers":2}');
    expect(answers).toMatch(/^event: change\ndata: .*"state":\{"sales":1,"revenue":7.2,"customers":1\}/m);
    expect(answers).toContain('event: caught_up\ndata: {"version":1}');
    expect(answers).toContain('"serving_version":1');
    expect(answers).toContain('"status":"paused"');
    expect(outputs.at(-1)).not.toContain('projection_not_found');
  });
});

describePage('docs/pipelines.md', () => {
  it('work one after the other as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/pipelines.md'));
    const answers = outputs.join('');
    expect(answers).toContain('"reason":"The condition is false."');
    expect(answers).toContain('"pointer":"/operators/0/filter"');
    expect(answers).toContain('"payments":2,"revenue":19.75');
    expect(answers).toContain('"version":2');
    expect(outputs.at(-1)).toContain('"status":"paused"');
    expect(outputs.at(-1)).not.toContain('pipeline_not_found');
  });
});

describePage('docs/entities.md', () => {
  it('work one after the other as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/entities.md'));
    expect(outputs[1]).toContain('"version":3');
    expect(outputs[1]).toContain(
      '"state":{"status":"shipped","lines":{"tea":2,"cup":4}},"from_snapshot":null',
    );
    expect(outputs[2]).toContain('"state":{"status":"placed","lines":{"tea":2,"cup":4}}');
    expect(outputs[3]).toContain('"reason":"requested"');
    expect(outputs[3]).toContain('"from_snapshot":3');
    expect(outputs[3]).toContain('"total":1');
    expect(outputs[4]).toContain('"snapshot_every":20');
  });
});

describePage('docs/intake.md', () => {
  it('work as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/intake.md'));
    expect(outputs[0]).toContain('"accepted":2');
    expect(outputs[1]).toContain('"refused":1');
    expect(outputs[2]).toContain('refused_at_intake');
    expect(outputs.at(-2)).toContain('"id":"17-1","source":"/shop"');
    expect(outputs.at(-2)).toContain('"data":"Ring twice"');
    expect(outputs.at(-1)).toBe('{}');
  });
});

describePage('docs/live.md', () => {
  it('work one after the other as printed', async () => {
    const outputs = await outputsOf(commandsIn('docs/live.md'));
    expect(outputs[1]).toMatch(/^id: .+\nevent: event\ndata: .*"data":\{"bird": "heron", "count": 2\}/m);
    expect(outputs[2]).toMatch(/"data":\{"bird": "osprey", "count": 1\}/);
    expect(outputs[2]).not.toContain('heron');
  });
});

describePage('docs/subscriptions.md', () => {
  const url = '/api/v1/subscriptions/labels';
  const status = async () => (await system().core.get(url)).json<Record<string, number>>();

  it('work one after the other as printed, and the worker in Python does the rest', async () => {
    const outputs = await outputsOf(commandsIn('docs/subscriptions.md'));
    expect(outputs[2]).toMatch(/"token":"[^"]+","attempt":1,"event":\{.*"stream":"parcels"/);
    expect(outputs[3]).toBe('{"ack":["done"],"nack":[],"extend":[]}');
    expect(outputs[4]).toContain('"nack":["done"]');
    expect(outputs[4]).toMatch(/"attempts":1,"reason":"no printer".*"blocked":0/);
    expect(outputs[4]).toContain('{"events":1}');
    expect(outputs[5]).toContain('"parked":0');
    await withWorker(async (printed) => {
      await until(() => printed().split('\n').length > 3, { what: 'three labels', progress: printed });
      await until(async () => (await status()).outstanding === 0, { what: 'acknowledgements' });
      const labels = printed().trim().split('\n').sort();
      expect(new Set(labels).size).toBe(3);
      for (const label of labels) expect(label).toMatch(/^label for parcel-[1-4] to (Oslo|Lima|Bonn|Cork)$/);
    });
    expect(await status()).toMatchObject({ lag: 0, waiting: 0, retrying: 0, parked: 0 });
  });

  /** Runs the worker of the page, and passes what returns its output so far. */
  async function withWorker(test: (printed: () => string) => Promise<void>): Promise<void> {
    const [, text = ''] = /^```python\n([\s\S]*?)^```$/m.exec(readFileSync('docs/subscriptions.md', 'utf8'))!;
    const env = { PATH: process.env.PATH, TRIBUTARY_KEY: system().key };
    const worker = spawn('python3', ['-c', onThesePorts(text)], { env });
    let output = '';
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      await test(() => output);
    } finally {
      worker.kill();
    }
  }
});
