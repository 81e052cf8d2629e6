import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './kafka/jars.js';

/** Runs `npm start` on a machine without Java: arguments that are accepted end with that problem. */
function start(...args: string[]) {
  const env = { PATH: '' };
  const program = join(root, 'local', 'start.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
  return { status, stderr };
}

it.each([
  [['--engines', '--watch'], '`--engines` starts no app, so there is nothing to restart'],
  [['--engine'], 'Unknown argument: "--engine"'],
  [['--engines'], 'Java'],
])('npm start with %j ends before it starts anything: %s', (args, problem) => {
  expect(start(...args)).toMatchObject({
    ...{ status: 1, stderr: expect.stringContaining(problem) as string },
  });
});
