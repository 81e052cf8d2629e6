import { describe, expect, it } from 'vitest';
import { WebhookSecrets, webhookSecretsError } from './secrets.js';

const key = (byte: number) => Buffer.alloc(32, byte);
const value = (byte = 7) => `whsec_${key(byte).toString('base64')}`;
const text = (...hosts: string[]) => JSON.stringify({ shop: { value: value(), hosts } });
const keysFor = (url: string, ...hosts: string[]) =>
  new WebhookSecrets(text(...hosts)).keysFor({ url, secretRef: 'shop' });

describe('webhook secrets', () => {
  it('are found by name', () => {
    const secrets = new WebhookSecrets(
      JSON.stringify({
        billing: { value: value(), hosts: ['a.example'] },
        'crm-eu': { value: value(8), hosts: ['a.example'] },
      }),
    );

    const keysOf = (secretRef: string) => secrets.keysFor({ url: 'https://a.example/hook', secretRef });

    expect([keysOf('billing'), keysOf('crm-eu')]).toEqual([{ keys: [key(7)] }, { keys: [key(8)] }]);
    expect(keysOf('crm')).toHaveProperty('refusal', expect.stringContaining('no webhook secret crm.'));
    expect(keysOf('constructor')).toHaveProperty('refusal');
  });

  it('sign with both values while they are rotated', () => {
    const shop = { value: [value(8), value(7)], hosts: ['a.example'] };
    const secrets = new WebhookSecrets(JSON.stringify({ shop }));

    expect(secrets.keysFor({ url: 'https://a.example/', secretRef: 'shop' })).toEqual({
      keys: [key(8), key(7)],
    });
  });

  it('may be none', () => {
    expect(webhookSecretsError('')).toBeUndefined();
  });

  it.each<[string, string, RegExp]>([
    ['that are not JSON', `shop=${value()}`, /must be a JSON object such as {"shop":/],
    ['in a list', JSON.stringify([value()]), /must be a JSON object/],
    ['without hosts', JSON.stringify({ shop: { value: value() } }), /shop needs "hosts": a list of 1 to 100/],
    ['as a text alone', JSON.stringify({ shop: value() }), /shop must be an object/],
    ['with an empty list of hosts', text(), /shop needs "hosts"/],
    ['with too many hosts', text(...Array.from({ length: 101 }, (_, i) => `h${i}`)), /shop needs "hosts"/],
    ['with one host as a text', JSON.stringify({ shop: { value: value(), hosts: 'a' } }), /needs "hosts"/],
    ['with an invalid name', JSON.stringify({ [value()]: {} }), /entry 1 must have a name/],
    ['without a value', JSON.stringify({ shop: { hosts: ['a'] } }), /24 to 64 bytes/],
    [
      'with too short a value',
      JSON.stringify({ shop: { value: 'whsec_c2hvcnQ=', hosts: ['a'] } }),
      /24 to 64/,
    ],
    ['with no value', JSON.stringify({ shop: { value: [], hosts: ['a'] } }), /one "value", or a list of 2/],
    [
      'with three values',
      JSON.stringify({ shop: { value: [value(), value(8), value(9)], hosts: ['a'] } }),
      /one "value", or a list of 2/,
    ],
    [
      'with the same name twice',
      `{"shop":{"value":"${value(8)}","hosts":["a"]},"shop":{"value":"${value()}","hosts":["b"]}}`,
      /two secrets or two members with the same name/,
    ],
    [
      'with the same name twice, once with an escape',
      `{"shop":{"value":"${value(8)}","hosts":["a"]},"sho\\u0070":{"value":"${value()}","hosts":["b"]}}`,
      /two members with the same name/,
    ],
    [
      'with two lists of hosts',
      `{"shop":{"value":"${value()}","hosts":["a"],"hosts":["b"]}}`,
      /two members with the same name/,
    ],
    [
      'with an unknown member',
      JSON.stringify({ shop: { value: value(), hosts: ['a'], host: 'b' } }),
      /only the members "value" and "hosts"/,
    ],
  ])('%s are rejected without revealing them', (_what, wrong, why) => {
    expect(webhookSecretsError(wrong)).toMatch(why);
    expect(webhookSecretsError(wrong)).not.toContain(value());
    expect(() => new WebhookSecrets(wrong)).toThrow(RangeError);
  });

  it.each([
    ...['', '*', '*.example.com', 'https://a.example', 'a.example/hook', 'a.example/', 'user@a.example'],
    ...[
      'a.example?x',
      'a.example#x',
      'a.example\\x',
      'a example',
      ' a.example',
      'a.example,b.example',
      'a&b',
      'a;b',
      'a..b',
      '-a.example',
      'a.example:',
      'a.example:0',
      'a.example:99999',
      '[::1',
      '::1',
    ],
  ])('with the host "%s" are rejected', (host) => {
    expect(webhookSecretsError(text('ok.example', host))).toMatch(
      /the secret shop has an invalid host 2: it must/,
    );
  });
});

describe('a webhook secret signs requests', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', 'hooks.example.com'],
    ['https://HOOKS.Example.com/', 'hooks.example.com'],
    ['https://hooks.example.com/', 'Hooks.EXAMPLE.com'],
    ['https://hooks.example.com:443/', 'hooks.example.com'],
    ['https://hooks.example.com/', 'hooks.example.com:443'],
    ['https://hooks.example.com:8443/', 'hooks.example.com:8443'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example/', 'Bücher.example'],
    ['https://[2606:4700:0:0::1111]:8443/', '[2606:4700::1111]:8443'],
    ['https://8.8.8.8/', '8.8.8.8'],
    ['http://hooks.example.com:80/', 'hooks.example.com:80'],
    ['http://[::1]/', '[::1]:80'],
    ['https://hooks.example.com.:8443/', 'hooks.example.com.:8443'],
    ['http://127.0.0.1:9000/', '127.0.0.1:9000'],
  ])('to %s if its host is %s', (url, host) => {
    expect(keysFor(url, 'other.example', host)).toEqual({ keys: [key(7)] });
  });

  it.each([
    ['https://evil.example/', 'hooks.example.com'],
    ['https://sub.hooks.example.com/', 'hooks.example.com'],
    ['https://hooks.example.com.evil.example/', 'hooks.example.com'],
    ['https://example.com/', 'hooks.example.com'],
    ['https://hooks.example.com:8443/', 'hooks.example.com'],
    ['https://hooks.example.com/', 'hooks.example.com:8443'],
    ['https://hooks.example.com/', 'hooks.example.com:80'],
    ['https://hooks.example.com./', 'hooks.example.com'],
    ['https://evil.example/hooks.example.com', 'hooks.example.com'],
    ['https://evil.example/?hooks.example.com', 'hooks.example.com'],
    ['https://hooks.example.com@evil.example/', 'hooks.example.com'],
    ['https://evil.example\\@hooks.example.com/', 'hooks.example.com'],
    ['https://hооks.example.com/', 'hooks.example.com'],
    ['https://127.0.0.2/', '127.0.0.1'],
    ['https://[::ffff:7f00:1]/', '127.0.0.1'],
  ])('not to %s if its host is %s, and does not tell its hosts', (url, host) => {
    const signing = keysFor(url, host);

    const { refusal } = signing as { refusal: string };
    expect(refusal).toMatch(/^The webhook secret shop must not sign/);
    const called = new URL(url).host;
    expect(refusal.replaceAll(called, '')).not.toContain(host);
  });
});
