import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chart, tool } from './chart.js';

it("the chart's README matches its values (npm run format:chart generates it)", async () => {
  const { code, text } = await tool('helm-docs', [
    '--chart-search-root',
    chart,
    '--dry-run',
    '--log-level',
    'error',
  ]);
  expect(code, text).toBe(0);
  expect(readFileSync(join(chart, 'README.md'), 'utf8').trim()).toBe(text.trim());
});
