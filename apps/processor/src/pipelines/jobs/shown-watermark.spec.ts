import { expect, it } from 'vitest';
import { noWatermark } from '#dataflow';
import { shownWatermark } from './shown-watermark.js';

const of = (stage: string, watermark: number) => ({
  place: { owner: 'r', stage, stream: stage === '' ? 'orders' : '', partition: 0 },
  watermark,
});

it('is the least of the windows, whatever the sources say', () => {
  const partitions = [of('', noWatermark), of('', 3), of('minutes', 20), of('minutes', 10), of('hours', 30)];
  expect(shownWatermark(partitions, ['minutes', 'hours'])).toBe(10);
});

it('is that of the sources where there is no window', () => {
  expect(shownWatermark([of('', 5), of('', 3), of('', noWatermark)], [])).toBe(3);
});

it('is unknown where no window is here, or none has seen an event', () => {
  expect(shownWatermark([of('', 5)], ['minutes'])).toBeUndefined();
  expect(shownWatermark([of('', 5), of('minutes', noWatermark)], ['minutes'])).toBeUndefined();
  expect(shownWatermark([of('', 5), of('gone', 4)], ['minutes'])).toBeUndefined();
});
