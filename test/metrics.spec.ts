import { describe, expect, it } from 'vitest';
import { metricsOfEveryApp } from './metrics-of-every-app.js';

const ours = metricsOfEveryApp.filter(({ name }) => name.startsWith('tributary_'));

describe('the metrics of every app', () => {
  it('are registered', () => expect(ours.length).toBeGreaterThan(80));

  it.each(ours.map((metric) => [metric.name, metric] as const))(
    '%s follows the naming rules',
    (name, { type, help }) => {
      expect(name).toMatch(/^tributary_[a-z]+(_[a-z]+)*$/);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/_total$/);
      expect(name).not.toMatch(/_(ms|millis|milliseconds|kb|mb)(_|$)/);
      expect(help.length).toBeGreaterThan(10);
    },
  );

  it.each(ours.map((metric) => [metric.name, metric] as const))(
    '%s has only labels with bounded values',
    (_name, { labelNames }) => {
      for (const label of labelNames)
        expect(label).toBeOneOf([
          'app',
          'version',
          'check',
          'consumer',
          'certificate',
          'group',
          'disk',
          'error',
          'method',
          'route',
          'status',
          'code',
          'reason',
          'verdict',
          'stream',
          'projection',
          'pipeline',
          'subscription',
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
});
