import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Tributary } from '#client';
import { definitionFindings } from './findings.js';

const running = { status: 'running', failure: null, lag: 0 };
const retrying = { since: '2026-11-26T01:00:00Z', last_answer: 'The receiver answered 503.' };

/** Returns the findings for these projections, pipelines and subscriptions. */
function findingsOf(kinds: { projections?: object[]; pipelines?: object[]; subscriptions?: object[] }) {
  const fetch = (url: string) => {
    const kind = new URL(url).pathname.split('/').at(-1) as keyof typeof kinds;
    const page = { [kind]: kinds[kind] ?? [], next_cursor: null, has_more: false };
    return Promise.resolve(new Response(JSON.stringify(page)));
  };
  const client = new Tributary({ url: 'http://tributary', fetch });
  return definitionFindings(client, new AbortController().signal);
}

it('given failed definitions, paused or not, doctor tells the reason and advises to resume before anything else', async () => {
  const failed = { ...running, status: 'failed', failure: 'There is no secret.' };
  const findings = await findingsOf({
    projections: [{ name: 'sums', ...failed }],
    pipelines: [
      { name: 'hooks', ...failed },
      { name: 'well', ...running },
    ],
  });
  expect(findings).toMatchObject([
    { check: 'projection sums', verdict: 'wrong', detail: 'It has failed: There is no secret.' },
    { check: 'pipeline hooks', verdict: 'wrong', detail: 'It has failed: There is no secret.' },
  ]);
  for (const [i, name] of ['projection sums', 'pipeline hooks'].entries())
    expect(findings[i]!.advice).toMatch(
      new RegExp(
        `^Remove the cause, then .tributary resume ${name}.: .* change its definition; at last reset`,
      ),
    );
});

it('given a definition that has lost its checkpoint, doctor advises to reset it, and names an existing runbook', async () => {
  const failure = 'The store has lost the checkpoint of partition 0. Reset the pipeline.';
  const [finding] = await findingsOf({
    pipelines: [{ name: 'hooks', ...running, status: 'failed', failure }],
  });
  expect(finding!.advice).toMatch(
    /^.tributary reset pipeline hooks. starts it again: it emits everything again as new events, .*\. Runbook: /,
  );
  for (const alert of ['ProjectionFailed', 'PipelineFailed', 'WebhooksFailing', 'DeadLetters'])
    expect(existsSync(`docs/runbooks/Tributary${alert}.md`)).toBe(true);
});

it('given a receiver that is down, doctor tells since when and the last answer', async () => {
  expect(await findingsOf({ pipelines: [{ name: 'hooks', ...running, retrying }] })).toMatchObject([
    {
      verdict: 'warning',
      detail: 'Deliveries are repeated since 2026-11-26T01:00:00Z: The receiver answered 503.',
    },
  ]);
});

it.each([
  ['accepts', null],
  ['did not accept the last delivery', retrying],
])('given a paused pipeline whose receiver %s, doctor warns with its lag', async (_, last) => {
  const paused = { name: 'hooks', ...running, status: 'paused', lag: 7, retrying: last };
  const findings = await findingsOf({ pipelines: [paused] });
  expect(findings).toMatchObject([
    { check: 'pipeline hooks', verdict: 'warning', detail: 'It is paused, 7 records behind.' },
  ]);
});

it('given subscriptions that have failed, are paused, or have parked events, doctor says what to do', async () => {
  const findings = await findingsOf({
    subscriptions: [
      { name: 'a', ...running, status: 'failed', failure: 'The log was truncated.', parked: 0 },
      { name: 'b', ...running, status: 'paused', parked: 2 },
      { name: 'c', ...running, parked: 0 },
    ],
  });
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([
    ['subscription a', 'wrong'],
    ['subscription b', 'warning'],
    ['subscription b', 'warning'],
  ]);
  expect(findings[2]).toMatchObject({ detail: expect.stringMatching(/^2 events are parked/) as string });
  expect(findings[2]!.advice).toContain('tributary subscriptions replay b --all');
});
