import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageVersion } from './run-app.js';

it('is the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(packageVersion()).toBe(version);
});
