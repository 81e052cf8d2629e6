import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#testkit';
import { bindingOf, LivePosition, streamKey } from './live-position.js';

const binding = bindingOf(['filters']);
const key = (stream: string) => streamKey(`${stream}#1`);

describe('a position', () => {
  it('is parsed from its own text, whatever its offsets', () => {
    const random = new SeededRandom(7);
    for (let i = 0; i < 200; i++) {
      const position = new LivePosition(binding);
      const streams = Array.from({ length: random.int(5) }, (_, n) => key(`s${n}`));
      for (const stream of streams)
        for (let p = 0; p < 8; p++)
          if (random.chance(0.6))
            position.set(stream, p, Math.floor(random.next() ** 4 * 2 ** random.int(53)));
      const text = position.toString();
      const read = LivePosition.parse(text, binding);
      expect(read?.toString()).toBe(text);
      expect(read && position.missingTo(read)).toEqual([]);
      expect(read && read.missingTo(position)).toEqual([]);
    }
  });

  it('has a short text', () => {
    const position = new LivePosition(binding);
    for (let p = 0; p < 6; p++) position.set(key('orders'), p, 1_000_000 + p);
    expect(position.toString().length).toBeLessThan(45);
    expect(position.toString()).toMatch(/^[A-Za-z0-9_.-]+$/);
  });

  it('changes independently of its copy', () => {
    const position = new LivePosition(binding);
    position.set(key('orders'), 1, 5);
    const copy = position.copy();
    position.set(key('orders'), 1, 6);
    position.set(key('orders'), 0, 2);
    expect(copy.missingTo(position)).toEqual([
      { key: key('orders'), partition: 0, from: 0, until: 2 },
      { key: key('orders'), partition: 1, from: 5, until: 6 },
    ]);
    expect([position.missingFrom(copy), copy.missingFrom(position)]).toEqual([true, false]);
    expect(LivePosition.parse(position.toString(), binding)?.at(key('orders'), 1)).toBe(6);
    position.keepOnly(() => false);
    expect(position.toString()).toBe(binding);
  });

  it('belongs to a stream, not to its name', () => {
    expect(streamKey('a#1')).not.toBe(streamKey('a#2'));
  });

  it.each([
    '',
    'x',
    bindingOf(['other filters']),
    `${binding}.`,
    `${binding}.short`,
    `${binding}.${key('a')}`,
    `${binding}.${key('a')}!`,
    `${binding}.${key('a')}gA`,
    `${binding}.${key('a')}_____________w`,
    `${binding}.${key('a')}AA`,
    `${binding}.${key('a')}AQ.${key('a')}AQ`,
    `${binding}.${key('a')}AQ==`,
    `${binding}.${key('a')}AQ, ${binding}`,
  ])('is not parsed from %j', (text) => {
    expect(LivePosition.parse(text, binding)).toBeUndefined();
  });
});
