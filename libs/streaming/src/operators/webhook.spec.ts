import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipelines/pipeline.fixture.js';

describe('webhook', () => {
  it('posts the event as it is there, and lets it go on', () => {
    const webhook = { url: 'https://example.com/hook?x=1', secret_ref: 'SHOP' };
    const outcomes = outcomesOf([{ webhook }, { emit: { stream: 'out' } }], '{"n":1.0}');
    expect(outcomes).toMatchObject([
      {
        kind: 'webhook',
        at: '/operators/0/webhook',
        url: 'https://example.com/hook?x=1',
        secretRef: 'SHOP',
        flow: { event: { data: '{"n":1.0}' } },
      },
      { kind: 'emit' },
    ]);
  });
});
