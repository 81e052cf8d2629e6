import { expect, it } from 'vitest';
import { windowReasons, type PipelineProgress } from './window-reasons.js';

const progress: PipelineProgress = {
  ...{ status: 'running', lag: 0, watermark: '2026-01-01T00:00:00Z' },
  ...{ dropped: 0, failed: 0, late: 0, source: {} },
};
const applying = (change: Partial<PipelineProgress>) =>
  windowReasons({ ...progress, ...change })
    .filter(({ applies }) => applies)
    .map(({ shows }) => shows);

it.each([
  [{ status: 'paused' }, 'The status is paused.'],
  [{ lag: 3 }, '3 records are unread.'],
  [{ lag: 1 }, '1 record is unread.'],
  [{ watermark: null }, 'There is no watermark.'],
  [{}, 'The watermark is 2026-01-01 00:00:00.'],
])('%j: %s', (change, shows) => expect(applying(change)).toEqual([shows]));

it('names events that belong to no result', () => {
  expect(applying({ late: 2 })).toContain('0 events were dropped, 0 failed, 2 were late.');
});
