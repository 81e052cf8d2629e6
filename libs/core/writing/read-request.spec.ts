import { describe, expect, it } from 'vitest';
import type { EventParserInputs } from './read-event.js';
import { readBatch, readLines } from './read-request.js';
import { UuidV7Generator } from './uuid-v7.js';

const event = `{"stream":"orders","event_type":"t","data":{"t":"${'x'.repeat(300_000)}"}}`;
const three = [event, event, event];
const receptionOf = (text: string): EventParserInputs => ({
  ...{ ingestedAt: 0, ids: new UuidV7Generator(), text },
  schemas: { find: () => undefined },
});

describe('the event loop', () => {
  it.each([
    ['a batch', () => readBatch(receptionOf(`{"events":[${three.join()}]}`))],
    ['lines', () => readLines(receptionOf(three.join('\n')))],
  ])('runs other work between large events of %s', async (_name, read) => {
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    expect(await read()).toHaveLength(3);
    done = true;
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});
