import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'tributary-tools-'));
});
afterEach(() => rmSync(bin, { recursive: true }));

/** Returns the output of a check on a machine that has only these tools. */
function said(check: 'checkGo' | 'checkPython', tools: Record<string, string> = {}): string {
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const script = `import * as needed from './deploy/tools/needed.mjs';
try { needed.${check}(); } catch (error) { console.log(error.message); }`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env: { PATH: bin }, encoding: 'utf8' });
  return stdout + stderr;
}

it('reports that Go is needed, and its version', () => {
  expect(said('checkGo')).toMatch(/^Go was not found\. .*Go 1\.26 or newer/);
  expect(said('checkGo', { go: 'echo go1.21.5' })).toMatch(/^go1\.21\.5 is too old/);
  expect(said('checkGo', { go: 'echo go1.26.8' })).toBe('');
});

it('reports that pip is needed', () => {
  expect(said('checkPython')).toMatch(/^Python's pip was not found/);
  expect(said('checkPython', { python3: 'exit 1' })).toMatch(/^Python's pip was not found/);
  expect(said('checkPython', { python3: 'exit 0' })).toBe('');
});
