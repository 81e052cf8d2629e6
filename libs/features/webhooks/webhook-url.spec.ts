import { describe, expect, it } from 'vitest';
import { WebhookAddressPolicy } from './webhook-address-policy.js';
import { webhookUrlError } from './webhook-url.js';

const closed = new WebhookAddressPolicy([]);

describe('the address of a webhook', () => {
  it.each(['https://example.org/hooks?a=1', 'https://8.8.8.8:8443/x', 'https://[2606:4700::1111]/'])(
    '%s is valid',
    (url) => {
      expect(webhookUrlError(url, closed)).toBeUndefined();
    },
  );

  it.each([
    ['ftp://example.org/', /https/],
    ['hooks', /https/],
    ['https://user:secret@example.org/', /password/],
    ['https://example.org/#top', /fragment/],
    ['https://127.0.0.1/', /not public/],
    ['https://0x7f.1/', /not public/],
    ['https://2130706433/', /not public/],
    ['https://[::ffff:169.254.169.254]/latest/meta-data', /not public/],
    ['http://8.8.8.8/', /https/],
    [`https://example.org/${'a'.repeat(2048)}`, /characters/],
  ])('%s is rejected', (url, why) => {
    expect(webhookUrlError(url, closed)).toMatch(why);
  });

  it('needs no TLS in an allowed network', () => {
    expect(
      webhookUrlError('http://127.0.0.1:8080/hook', new WebhookAddressPolicy(['127.0.0.0/8'])),
    ).toBeUndefined();
  });
});
