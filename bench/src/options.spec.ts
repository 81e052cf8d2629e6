import { describe, expect, it } from 'vitest';
import { measureNames, OptionError, parseOptions } from './options.js';

describe('the options of the benchmark', () => {
  it('select all measures and five runs by default', () => {
    expect(parseOptions([])).toMatchObject({ measures: [...measureNames], runs: 5, pageEvents: 10_000_000 });
  });

  it('select measures, in upper or lower case, and sizes', () => {
    expect(parseOptions(['p3', 'P1', '--runs', '3', '--events', '1000000'])).toMatchObject({
      measures: ['P1', 'P3'],
      runs: 3,
      events: 1_000_000,
    });
  });

  it.each([[['P15']], [['--runs', '0']], [['--events', '1e6']], [['--fast']]])('refuse %j', (args) => {
    expect(() => parseOptions(args)).toThrow(OptionError);
  });
});
