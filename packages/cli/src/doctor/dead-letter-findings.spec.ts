import { expect, it } from 'vitest';
import { Tributary } from '#client';
import { deadLetterFindings } from './findings.js';

const letter = (source: string, error: string) => ({ source, error, stream: 'orders' });

/** Returns the findings for an answer of the API, and the address that was read. */
async function findingsOf(answer: object) {
  let asked = '';
  const fetch = (url: string) => {
    asked = url;
    return Promise.resolve(new Response(JSON.stringify({ next_cursor: null, has_more: false, ...answer })));
  };
  const client = new Tributary({ url: 'http://tributary', fetch });
  return { findings: await deadLetterFindings(client, new AbortController().signal), asked: new URL(asked) };
}

it('given dead letters of two sources, doctor warns once for each, with its first error', async () => {
  const dead_letters = [
    letter('pipeline:large', 'There is no member amuont.'),
    letter('projection:sums', 'Not a number.'),
    letter('pipeline:large', 'Another.'),
  ];
  const { findings, asked } = await findingsOf({ dead_letters });
  expect(findings).toMatchObject([
    {
      ...{ check: 'dead letters of pipeline:large', verdict: 'warning' },
      detail: '2 in the last hour, such as one of the stream orders: There is no member amuont.',
      advice: expect.stringMatching(
        /list --source pipeline:large --replayed no. lists them\. .*replay --source pipeline:large. repeats them when/,
      ) as string,
    },
    {
      ...{ check: 'dead letters of projection:sums', detail: expect.stringMatching(/^1 in/) as string },
      advice: expect.stringMatching(
        /^((?!replay --source).)*Change the definition of the projection sums/,
      ) as string,
    },
  ]);
  expect(asked.searchParams.get('replayed')).toBe('false');
  expect(asked.searchParams.get('since')).toMatch(/^\d{4}-.*Z$/);
});

it('given a full page, the number is a lower bound', async () => {
  const { findings } = await findingsOf({ dead_letters: [letter('materializer', 'x')], has_more: true });
  expect(findings[0]!.detail).toMatch(/^At least 1 in the last hour/);
});

it('given no dead letter, doctor finds nothing wrong', async () => {
  expect((await findingsOf({ dead_letters: [] })).findings).toMatchObject([{ verdict: 'ok' }]);
});
