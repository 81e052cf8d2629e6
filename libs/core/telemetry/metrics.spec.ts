import { afterEach, describe, expect, it } from 'vitest';
import { counter, histogram, metricsText, onScrape, registry } from './metrics.js';

describe('the metrics', () => {
  it('are updated by a callback at each scrape, until the callback is removed', async () => {
    let asked = 0;
    const end = onScrape(() => void asked++);
    await metricsText();
    await metricsText();
    end();
    await metricsText();
    expect(asked).toBe(2);
  });

  it('contain the memory limits of this process', async () => {
    const text = await metricsText();
    for (const name of ['tributary_memory_limit_bytes', 'tributary_heap_limit_bytes'])
      expect(Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])).toBeGreaterThan(2 ** 24);
  });
});

describe('the metric that a feature defines', () => {
  const name = 'tributary_spec_total';
  afterEach(() => registry.removeSingleMetric(name));

  it('given a counter with a label, when it counts, then /metrics shows it', async () => {
    counter(name, { help: 'A counter of this spec.', labelNames: ['reason'] }).inc({ reason: 'x' }, 2);
    expect(await metricsText()).toContain(`${name}{reason="x"} 2`);
  });

  it('given a histogram without buckets, when it observes 3 ms, then its buckets are those for seconds', async () => {
    histogram(name, { help: 'A histogram of this spec.' }).observe(0.003);
    const text = await metricsText();
    expect(text).toContain(`${name}_bucket{le="0.0025"} 0`);
    expect(text).toContain(`${name}_bucket{le="0.005"} 1`);
    expect(text).toContain(`${name}_bucket{le="30"} 1`);
  });

  it('given a metric, when another has the same name, then its definition fails', () => {
    const define = () => counter(name, { help: 'A counter of this spec.' });
    define();
    expect(define).toThrow(name);
  });
});
