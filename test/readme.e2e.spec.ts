import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useStack } from './use-stack.js';

const system = useStack();
const run = promisify(execFile);

/** The `sh` blocks of the part of the README that starts with this heading. */
function commandsUnder(heading: string): string[] {
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.split(/^## /m).find((part) => part.toLowerCase().startsWith(heading)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
}

/** The commands as they stand, on this test's ports. */
function onThesePorts(command: string): string {
  const { core, query, ingest } = system().urls;
  return command
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3900/g, core)
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3902/g, query)
    .replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3901/g, ingest);
}

/** A folder as `npm start` leaves it, with the key of this test's system. */
function folderWithKey(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-tour-'));
  mkdirSync(join(folder, '.tributary'));
  writeFileSync(join(folder, '.tributary', 'api-key'), system().key);
  return folder;
}

describe('the tour in the README', () => {
  it('works command by command as it is printed', async () => {
    const blocks = commandsUnder('tour');
    expect(blocks.length).toBeGreaterThan(3);
    // One shell for all: what one block sets, the next one uses.
    const script = blocks.map((block) => `echo "## next block"; ${onThesePorts(block)}`).join('\n');
    const cwd = folderWithKey();
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { PATH: process.env.PATH },
      timeout: 50_000,
    });
    rmSync(cwd, { recursive: true });
    const outputs = stdout.split('## next block\n').slice(1);
    expect(outputs).toHaveLength(blocks.length);
    outputs.forEach((output, i) => {
      expect(output, blocks[i]).not.toContain('urn:tributary:problem');
      if (blocks[i]?.includes('curl')) expect(output.trim(), blocks[i]).not.toBe('');
    });
    const answers = outputs.join('');
    expect(answers).toContain('"event_type":"order.shipped"');
    expect(answers).toContain('"version":3');
    expect(answers).toContain('"total":4');
  });
});
