import { describe, expect, it } from 'vitest';
import { RecentWorkTracker } from './recent-work-tracker.js';

const named = (name: string) => ({ request: name });

describe('active work', () => {
  it('includes running work, and work that ended since the last poll', () => {
    const works = new RecentWorkTracker();
    works.begin(named('long'));
    const end = works.begin(named('short'));
    end();
    end();
    expect(works.latest(10)).toEqual([named('short'), named('long')]);
    works.look();
    expect(works.latest(10)).toEqual([named('long')]);
    expect(works.size).toBe(1);
  });

  it('is limited to the requested number, and to 100 ended works', () => {
    const works = new RecentWorkTracker();
    for (let i = 0; i < 300; i++) works.begin(named(String(i)))();
    expect(works.size).toBe(100);
    expect(works.latest(3)).toHaveLength(3);
  });
});
