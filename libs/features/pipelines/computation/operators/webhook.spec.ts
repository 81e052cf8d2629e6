import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipeline.fixture.js';

describe('webhook', () => {
  it('posts the event in its current form, and passes it on', () => {
    const webhook = { url: 'https://example.com/hook?x=1', secret_ref: 'SHOP' };
    const outcomes = outcomesOf([{ webhook }, { emit: { stream: 'out' } }], '{"n":1.0}');
    expect(outcomes).toMatchObject([
      {
        kind: 'webhook',
        at: '/operators/0/webhook',
        url: 'https://example.com/hook?x=1',
        secretRef: 'SHOP',
        format: 'event',
        flow: { event: { data: '{"n":1.0}' } },
      },
      { kind: 'emit' },
    ]);
  });

  it.each(['shop', 'SHOP_2', 'crm-eu', '2nd'])('accepts the secret name %s', (secret_ref) => {
    const [outcome] = outcomesOf([{ webhook: { url: 'https://example.com/hook', secret_ref } }], '{}');
    expect(outcome).toMatchObject({ secretRef: secret_ref });
  });

  it('posts a CloudEvent if the format says so, and accepts no other format', () => {
    const webhook = { url: 'https://example.com/hook', secret_ref: 'shop', format: 'cloudevents' };
    expect(outcomesOf([{ webhook }], '{}')).toMatchObject([{ format: 'cloudevents' }]);
    expect(() => outcomesOf([{ webhook: { ...webhook, format: 'xml' } }], '{}')).toThrow(/format/);
  });

  it.each(['', '-shop', 'a b', 'a'.repeat(65), `whsec_${'A'.repeat(32)}`])(
    'rejects the secret name %s',
    (secret_ref) => {
      const webhook = { url: 'https://example.com/hook', secret_ref };
      expect(() => outcomesOf([{ webhook }], '{}')).toThrow(/secret_ref/);
    },
  );
});
