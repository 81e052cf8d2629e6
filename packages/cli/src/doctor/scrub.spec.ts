import { describe, expect, it } from 'vitest';
import type { Scrub } from '#client';
import type { CheckResult } from './findings.js';
import { runScrub } from './scrub.js';

const stream = (name: string, found: Partial<Scrub['streams'][number]> = {}): Scrub['streams'][number] => ({
  ...{
    stream: name,
    partitions: 2,
    complete_partitions: 2,
    compared: 10,
    repaired: 0,
    unlogged: 0,
    undecided: 0,
  },
  ...found,
});

/** Runs a scrub whose progress is given answer by answer; the last answer is repeated. */
async function scrub(...answers: Pick<Scrub, 'complete' | 'streams'>[]) {
  const lines: string[] = [];
  const findings: CheckResult[] = [];
  const next = async () => ({ scrub_id: 'id', ...(answers.length > 1 ? answers.shift()! : answers[0]!) });
  const client = { scrub: next, scrubProgress: next };
  const { signal } = new AbortController();
  const report = (line: string): void => void lines.push(line);
  for await (const finding of runScrub({ client, signal, report, pollMs: 1, patienceMs: 20 }))
    findings.push(finding);
  return { lines, findings };
}

describe('doctor --scrub', () => {
  it('follows the progress, and says that nothing is missing', async () => {
    const begun = { complete: false, streams: [stream('a', { complete_partitions: 0, compared: 3 })] };
    const { lines, findings } = await scrub(begun, begun, { complete: true, streams: [stream('a')] });
    expect(lines).toEqual([
      'scrub: 3 events compared, 0 of 2 partitions',
      'scrub: 10 events compared, 2 of 2 partitions',
    ]);
    expect(findings).toEqual([
      {
        ...{ check: 'scrub', verdict: 'ok', advice: '' },
        detail: 'ClickHouse has every event of Kafka that it must have: 10 events compared.',
      },
    ]);
  });

  it('names each stream with a finding', async () => {
    const streams = [
      stream('a', { repaired: 4 }),
      stream('b', { unlogged: 2 }),
      stream('c', { undecided: 1 }),
      stream('d'),
    ];
    const { findings } = await scrub({ complete: true, streams });
    expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([
      ['scrub of a', 'warning'],
      ['scrub of b', 'wrong'],
      ['scrub of c', 'warning'],
    ]);
    expect(findings[0]?.detail).toBe(
      'ClickHouse had lost 4 events, completely or in one of its tables, and has them again.',
    );
  });

  it('says that it waits and then gives up without progress, and names the streams', async () => {
    const { lines, findings } = await scrub({
      complete: false,
      streams: [stream('a', { complete_partitions: 1 }), stream('b')],
    });
    expect(lines).toEqual([
      'scrub: 20 events compared, 3 of 4 partitions',
      expect.stringMatching(/^scrub: no progress for \d+ s; gives up after 0.02 s$/),
    ]);
    expect(findings).toMatchObject([{ verdict: 'wrong', detail: 'It makes no progress in a.' }]);
  });

  it('says what the server answered', async () => {
    const failing = async (): Promise<never> => Promise.reject(new Error('403 insufficient_scope'));
    const { signal } = new AbortController();
    const findings = [];
    const input = { client: { scrub: failing, scrubProgress: failing }, signal, report: () => undefined };
    for await (const finding of runScrub(input)) findings.push(finding);
    expect(findings).toMatchObject([{ check: 'scrub', verdict: 'wrong', detail: '403 insufficient_scope' }]);
  });
});
