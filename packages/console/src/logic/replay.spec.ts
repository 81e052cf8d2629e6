import type { ReplayInput, ReplayReport } from '#client';
import { describe, expect, it } from 'vitest';
import { failureReasons, replayAll, replayText } from './replay.js';

const report: ReplayReport = {
  dry_run: false,
  matched: 2,
  replayed: 1,
  skipped: 0,
  failed: [{ id: 'a', detail: 'gone' }],
  events: [],
  has_more: false,
  next_cursor: null,
};

/** Returns a replay that answers with these reports, and the inputs that it gets. */
function given(...reports: Partial<ReplayReport>[]) {
  const inputs: ReplayInput[] = [];
  const replay = (input: ReplayInput) => {
    inputs.push(input);
    return Promise.resolve({ ...report, ...(reports[inputs.length - 1] ?? reports.at(-1)) });
  };
  return { inputs, replay };
}

describe('a replay', () => {
  it('of ids takes at most 500 in a request, and adds the results', async () => {
    const { inputs, replay } = given({});
    const ids = Array.from({ length: 501 }, (_, i) => `id-${i}`);
    const result = await replayAll({ ids }, replay);
    expect(inputs.map((input) => input.ids?.length)).toEqual([500, 1]);
    expect(result).toMatchObject({ matched: 4, replayed: 2, isPartial: false });
    expect(result.failed).toHaveLength(2);
  });

  it('of a source follows the cursor to the end', async () => {
    const { inputs, replay } = given({ has_more: true, next_cursor: 'c1' }, {});
    const result = await replayAll({ source: 'materializer' }, replay);
    expect(inputs).toEqual([{ source: 'materializer' }, { source: 'materializer', cursor: 'c1' }]);
    expect(result).toMatchObject({ matched: 4, isPartial: false });
  });

  it('of a source ends after a hundred requests, and says that dead letters remain', async () => {
    const { inputs, replay } = given({ has_more: true, next_cursor: 'more' });
    const result = await replayAll({ source: 'materializer' }, replay);
    expect(inputs).toHaveLength(100);
    expect(replayText(result)).toContain('has more dead letters');
  });
});

describe('the result of a replay', () => {
  it('counts what was replayed, had been replayed, and still fails', () => {
    expect(replayText({ ...report, skipped: 3, isPartial: false })).toBe(
      '1 of 2 were replayed, 3 had been replayed before, 1 still fail.',
    );
  });

  it('of a dry run says that nothing was changed, and not that anything was replayed', () => {
    const text = replayText({ ...report, dry_run: true, isPartial: false });
    expect(text).toBe('Dry run, nothing was changed: 1 of 2 would be replayed, 1 cannot be replayed.');
  });

  it('has each reason once, the most frequent first', () => {
    const failed = [
      { id: 'a', detail: 'gone' },
      { id: 'b', detail: 'late' },
      { id: 'c', detail: 'late' },
    ];
    expect(failureReasons(failed)).toEqual([
      ['late', ['b', 'c']],
      ['gone', ['a']],
    ]);
  });
});
