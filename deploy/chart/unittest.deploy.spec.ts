import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chart, tool } from './chart.js';

const suites = readdirSync(join(chart, 'tests')).filter((file) => file.endsWith('_test.yaml'));

it.each(suites)('helm unittest %s', async (suite) => {
  const { code, text } = await tool('helm-unittest', ['--strict', '--file', join('tests', suite), chart]);
  expect(code, text).toBe(0);
  expect(text).toMatch(/Tests: +\d+ passed, \d+ total/);
});
