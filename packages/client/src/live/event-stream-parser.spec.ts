import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';

/** Returns pseudo-random numbers of a seed: `SSE_SEED` repeats a test run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const lines = [
  ...[
    'data: {"a":1}',
    'data:x',
    'data',
    'data:  two spaces',
    'data: žluťoučký 🐎',
    'event: event',
    'event:error',
  ],
  ...[
    'event',
    'id: 8yq3XGmP',
    'id:1',
    'id',
    'id: a\0b',
    'retry: 1000',
    'retry: soon',
    ': heart-beat',
    ':',
    '',
  ],
  ...['unknown: field', 'data: a:b', ' data: indented', '', ''],
];
const ends = ['\n', '\r\n', '\r'];

function randomText(random: (below: number) => number): string {
  const end = ends[random(4)];
  const next = () => lines[random(lines.length)]! + (end ?? ends[random(3)]!);
  // A CR at the very end may be half of a line end: the oracle waits for the other half.
  return `${Array.from({ length: 1 + random(60) }, next).join('')}: end\n`;
}

function randomPieces(text: string, random: (below: number) => number): string[] {
  const pieces = [];
  const longest = 1 + random(12);
  for (let at = 0; at < text.length;) {
    const size = 1 + random(longest);
    pieces.push(text.slice(at, (at += size)));
  }
  return pieces;
}

function ours(pieces: readonly string[]) {
  const parser = new EventStreamParser();
  const messages = pieces.flatMap((piece) => parser.feed(piece));
  return { retryMs: parser.retryMs, messages };
}

/** The oracle reports ids only with messages; an id in a block without data is in no message. */
function oracle(pieces: readonly string[]) {
  const messages: { event: string; data: string }[] = [];
  let retryMs = 0;
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => messages.push({ event: event || 'message', data }),
    onRetry: (milliseconds) => (retryMs = milliseconds),
  });
  for (const piece of pieces) parser.feed(piece);
  return { retryMs, messages };
}

describe('Server-Sent Events', () => {
  it('are parsed like eventsource-parser parses them, for any split into pieces', () => {
    const seed = Number(process.env.SSE_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const random = randomOf(seed);
    for (let run = 0; run < 3_000; run++) {
      const text = randomText(random);
      const pieces = randomPieces(text, random);
      const { messages, retryMs } = ours(pieces);
      const withData = messages
        .filter(({ data }) => data !== undefined)
        .map(({ event, data }) => ({ event, data }));
      const what = `SSE_SEED=${seed}, ${JSON.stringify(pieces)}`;
      expect({ retryMs, messages: withData }, what).toEqual(oracle(pieces));
      expect(messages, what).toEqual(ours([text]).messages);
    }
  });

  it.each<[string, ServerSentEvent[]]>([
    ['id: 1\n\n', [{ event: 'message', data: undefined, id: '1' }]],
    [
      'id: 1\n\ndata: x\n\n',
      [
        { event: 'message', data: undefined, id: '1' },
        { event: 'message', data: 'x', id: '1' },
      ],
    ],
    ['id: 1\nevent: event\ndata: x\ndata: y\n\n', [{ event: 'event', data: 'x\ny', id: '1' }]],
    ['id: a\0b\ndata: x\n\n', [{ event: 'message', data: 'x', id: '' }]],
    [': heart-beat\n\n', []],
    ['data: not ended\n', []],
  ])('of %j say %j', (text, messages) => {
    expect(ours([text]).messages).toEqual(messages);
  });
});
