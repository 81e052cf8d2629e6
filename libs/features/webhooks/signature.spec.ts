import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookHeaders, webhookKey } from './signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const key = webhookKey(secret)!;

describe('a Standard Webhooks signature', () => {
  it('is accepted by the official library', () => {
    const body = '{"data":{"name":"Zoë","amount":12.50}}';
    const headers = webhookHeaders(
      { id: '019aa4e2-7d53-8c1e-9a3e-0d6a1f0b2c11', body, at: Date.now() / 1000 },
      [key],
    );

    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(body.replace('12.50', '12.51'), headers)).toThrow(/signature/i);
  });

  it('contains the time of the attempt, in whole seconds', () => {
    expect(webhookHeaders({ id: 'a', body: '{}', at: 1_700_000_000.9 }, [key])['webhook-timestamp']).toBe(
      '1700000000',
    );
  });

  it.each([
    'whsec_',
    'whsec_c2hvcnQ=',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    'whsec_not base64 at all, and long enough',
  ])('rejects the secret %s', (wrong) => {
    expect(webhookKey(wrong)).toBeUndefined();
  });
});
