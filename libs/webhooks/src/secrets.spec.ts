import { describe, expect, it } from 'vitest';
import { webhookKeys, webhookSecretsError } from './secrets.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('webhook secrets', () => {
  it('are found by name', () => {
    const keys = webhookKeys([`billing=${secret}`, `crm-eu=${secret}`]);

    expect([...keys.keys()]).toEqual(['billing', 'crm-eu']);
    expect(keys.get('billing')).toEqual(Buffer.alloc(32, 7));
  });

  it.each([
    ['no name', secret, /entry 1/],
    ['an invalid name', `a b=${secret}`, /entry 1/],
    ['no secret', 'billing', /entry 1/],
    ['too short a secret', 'billing=whsec_c2hvcnQ=', /entry 1 .*24 to 64 bytes/],
  ])('with %s are rejected without revealing them', (_what, one, why) => {
    expect(webhookSecretsError([one])).toMatch(why);
    expect(webhookSecretsError([one])).not.toContain(secret);
  });

  it('need unique names', () => {
    expect(webhookSecretsError([`a=${secret}`, `a=${secret}`])).toMatch(
      /entry 2 has the same name as another entry/,
    );
  });
});
