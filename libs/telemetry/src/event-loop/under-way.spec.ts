import { describe, expect, it } from 'vitest';
import { UnderWay } from './under-way.js';

const named = (name: string) => ({ request: name });

describe('what is under way', () => {
  it('is what has begun and not ended, and what ended since the last look', () => {
    const works = new UnderWay();
    works.begin(named('long'));
    const end = works.begin(named('short'));
    end();
    end();
    expect(works.latest(10)).toEqual([named('short'), named('long')]);
    works.look();
    expect(works.latest(10)).toEqual([named('long')]);
    expect(works.size).toBe(1);
  });

  it('is bounded by what is asked for, and by 100 that have ended', () => {
    const works = new UnderWay();
    for (let i = 0; i < 300; i++) works.begin(named(String(i)))();
    expect(works.size).toBe(100);
    expect(works.latest(3)).toHaveLength(3);
  });
});
