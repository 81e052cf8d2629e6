import { expect, it } from 'vitest';
import { linesOf } from './lines.js';

const { code, text, lines } = await linesOf('deploy/checks/prometheus.mjs');

it.each(lines.filter(({ outcome }) => outcome !== 'skip'))('$name', ({ outcome, name }) => {
  expect(outcome, name).toBe('ok');
});

const skipped = lines.filter(({ outcome }) => outcome === 'skip');
if (skipped.length > 0) it.skip.each(skipped)('$name', () => undefined);

it('Prometheus checks the rules and runs their tests', () => {
  expect(code, text).toBe(0);
  expect(lines.filter(({ name }) => name.startsWith('rules: '))).not.toHaveLength(0);
});
