import { expect, it } from 'vitest';
import { noWatermark } from '#features/pipelines/computation';
import { exportedWatermark } from './exported-watermark.js';

const of = (stage: string, watermark: number) => ({
  place: { owner: 'r', stage, stream: stage === '' ? 'orders' : '', partition: 0 },
  watermark,
});

it('is the least watermark of the windows, regardless of the sources', () => {
  const partitions = [of('', noWatermark), of('', 3), of('minutes', 20), of('minutes', 10), of('hours', 30)];
  expect(exportedWatermark(partitions, ['minutes', 'hours'])).toBe(10);
});

it('is the least watermark of the sources if the pipeline has no window', () => {
  expect(exportedWatermark([of('', 5), of('', 3), of('', noWatermark)], [])).toBe(3);
});

it('is undefined if no window is in this process or no window has received an event', () => {
  expect(exportedWatermark([of('', 5)], ['minutes'])).toBeUndefined();
  expect(exportedWatermark([of('', 5), of('minutes', noWatermark)], ['minutes'])).toBeUndefined();
  expect(exportedWatermark([of('', 5), of('gone', 4)], ['minutes'])).toBeUndefined();
});
