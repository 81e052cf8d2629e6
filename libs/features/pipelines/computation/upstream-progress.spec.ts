import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  UpstreamProgress,
  downstreamWatermark,
  type WatermarkRecord,
  type UpstreamEmissionPosition,
} from './upstream-progress.js';
import { noWatermark } from './partition-watermark-generator.js';

const [a, b] = ['orders/0', 'orders/1'];
type At = [next: number, watermark: number];
const control = (source: string, [next, watermark]: At): WatermarkRecord => ({
  source,
  next,
  watermark,
  idle: false,
});
const idle = (source: string, at: At): WatermarkRecord => ({ ...control(source, at), idle: true });

function positions(...controls: WatermarkRecord[]): UpstreamProgress {
  const made = new UpstreamProgress([a, b]);
  for (const record of controls) made.control(record);
  return made;
}

describe('the watermark of a stage', () => {
  it('is the minimum of the upstream watermarks', () => {
    expect(positions(control(a, [5, 50]), control(b, [5, 30])).watermark).toBe(30);
  });

  it('is noWatermark while an upstream partition has not written any record', () => {
    expect(positions(control(a, [5, 50])).watermark).toBe(noWatermark);
    expect(positions(idle(a, [5, 50])).watermark).toBe(noWatermark);
  });

  it('is not held back by an idle partition', () => {
    expect(positions(control(a, [5, 50]), idle(b, [5, 30])).watermark).toBe(50);
  });

  it('is not held back by an empty partition after that becomes idle', () => {
    const fed = positions(control(a, [5, 50]), control(b, [0, noWatermark]));
    expect(fed.watermark).toBe(noWatermark);
    fed.control(idle(b, [0, noWatermark]));
    expect(fed.watermark).toBe(50);
  });

  it('is the maximum if all upstream partitions are idle', () => {
    expect(positions(idle(a, [5, 50]), idle(b, [5, 70])).watermark).toBe(70);
  });

  it('never decreases, even if an idle partition has records again', () => {
    const fed = positions(control(a, [5, 50]), idle(b, [5, 30]));
    expect(fed.take({ source: b, offset: 5, index: 0, path: '' })).toBe(true);
    fed.control(control(b, [6, 35]));
    expect(fed.watermark).toBe(50);
    fed.control(control(a, [6, 90]));
    expect(fed.watermark).toBe(50);
    fed.control(control(b, [9, 80]));
    expect(fed.watermark).toBe(80);
  });

  it('is held back by an idle partition as soon as that has a record', () => {
    const fed = positions(control(a, [5, 50]), idle(b, [5, 30]));
    fed.take({ source: b, offset: 5, index: 0, path: '' });
    fed.control(control(a, [6, 90]));
    expect(fed.watermark).toBe(50);
    fed.control(control(b, [6, 55]));
    expect(fed.watermark).toBe(55);
  });

  it('ignores an outdated watermark record that marks a partition with records as idle', () => {
    const fed = positions(control(a, [5, 50]), control(b, [5, 50]));
    fed.take({ source: b, offset: 7, index: 0, path: '' });
    fed.control(control(a, [9, 1000]));
    fed.control(idle(b, [7, 900]));
    expect(fed.watermark).toBe(50);
    fed.control(idle(b, [8, 900]));
    expect(fed.watermark).toBe(1000);
  });

  it('is not advanced by a fenced task', () => {
    const fed = positions(control(a, [50, 500]), control(b, [50, 500]));
    fed.control(idle(a, [40, 9000]));
    fed.control(idle(b, [40, 9000]));
    expect(fed.watermark).toBe(500);
  });

  it('waits for a new upstream partition, and not for one that the definition no longer has', () => {
    const saved = positions(control(a, [5, 50]), control(b, [5, 30])).save();
    const without = new UpstreamProgress([a], saved);
    without.control(control(a, [6, 60]));
    expect(without.watermark).toBe(60);
    const withAnother = new UpstreamProgress([a, b, 'refunds/0'], saved);
    withAnother.control(control(b, [6, 60]));
    expect(withAnother.watermark).toBe(30);
  });

  it('is passed on less the delay of the operator', () => {
    expect(downstreamWatermark(100, 10)).toBe(90);
    expect(downstreamWatermark(noWatermark, 10)).toBe(noWatermark);
  });
});

describe('records of upstream partitions', () => {
  it('are taken once for each upstream partition', () => {
    const fed = positions();
    const take = (source: string, offset: number, index = 0) => fed.take({ source, offset, index, path: '' });
    expect([take(a, 3), take(a, 3, 1), take(b, 3), take(a, 8)]).toEqual([true, true, true, true]);
    expect([take(a, 3), take(a, 3, 1), take(a, 8), take(b, 3), take(b, 2, 7)]).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(take(a, 8, 1)).toBe(true);
  });

  it('are distinguished by their emission index, and a taken position is known', () => {
    const fed = positions();
    const at = (path: string) => ({ source: a, offset: 3, index: 1, path });
    const paths = ['0001', '0001/0000', '0003', '0002', '0003'];
    expect(paths.map((path) => fed.take(at(path)))).toEqual([true, true, true, false, false]);
    expect(fed.hasTaken(at('0003'))).toBe(true);
    expect(fed.hasTaken(at('0004'))).toBe(false);
    expect(fed.hasTaken({ ...at(''), source: b })).toBe(false);
  });

  it('lead to the same state if the state is saved and restored after each of them', () => {
    const record = fc.oneof(
      fc.record({
        source: fc.constantFrom(a, b),
        next: fc.nat(6),
        watermark: fc.integer({ min: -5, max: 5 }),
        idle: fc.boolean(),
      }),
      fc.record({
        source: fc.constantFrom(a, b),
        offset: fc.nat(5),
        index: fc.nat(1),
        path: fc.constantFrom('', '0001'),
      }),
    );
    const apply = (fed: UpstreamProgress, given: WatermarkRecord | UpstreamEmissionPosition) =>
      'idle' in given ? fed.control(given) : fed.take(given);
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const kept = positions();
        let read = positions();
        let before = kept.watermark;
        for (const given of records) {
          expect(apply(read, given)).toBe(apply(kept, given));
          read = new UpstreamProgress([a, b], read.save());
          expect(read.watermark).toBe(kept.watermark);
          expect(kept.watermark).toBeGreaterThanOrEqual(before);
          before = kept.watermark;
        }
        expect(JSON.parse(read.save())).toEqual(JSON.parse(kept.save()));
      }),
    );
  });
});
