import { describe, expect, it } from 'vitest';
import { metricsText, onScrape, registry } from './metrics.js';

const ours = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('tributary_'));

describe('the metrics', () => {
  it('are registered', () => expect(ours.length).toBeGreaterThan(10));

  it.each(ours.map((metric) => [metric.name, metric] as const))(
    '%s follows the naming rules',
    (name, metric) => {
      const { type, help } = metric as unknown as { type: string; help: string };
      expect(name).toMatch(/^tributary_[a-z]+(_[a-z]+)*$/);
      if ((type as unknown) === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/_total$/);
      expect(name).not.toMatch(/_(ms|millis|milliseconds|kb|mb)(_|$)/);
      expect(help.length).toBeGreaterThan(10);
    },
  );

  it.each(ours.map((metric) => [metric.name, metric] as const))(
    '%s has only labels with bounded values',
    (_name, metric) => {
      const { labelNames } = metric as unknown as { labelNames: string[] };
      for (const label of labelNames)
        expect(label).toBeOneOf([
          'app',
          'version',
          'check',
          'certificate',
          'group',
          'disk',
          'method',
          'route',
          'status',
          'code',
          'reason',
          'verdict',
          'stream',
          'projection',
          'pipeline',
          'path',
          'operator',
          'result',
          'port',
          'kind',
          'state',
          'table',
          'mode',
          'unit',
          'outcome',
          'format',
          'clock',
        ]);
    },
  );

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
