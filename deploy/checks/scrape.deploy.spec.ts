import { expect, it } from 'vitest';
import { linesOf } from './lines.js';

const { code, text, lines } = await linesOf('deploy/checks/scrape.mjs');

it.each(lines)('$name', ({ outcome, name }) => {
  expect(outcome, name).toBe('ok');
});

it('Prometheus scrapes the running system, and every query runs', () => {
  expect(code, text).toBe(0);
  for (const kind of ['metrics of ', 'recording rule: ', 'alert ', 'Overview / ', 'Node and JVM / '])
    expect(
      lines.some(({ name }) => name.includes(kind)),
      kind,
    ).toBe(true);
});
