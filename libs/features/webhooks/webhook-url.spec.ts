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

  it.each([
    'http://127.0.0.1:3900/api/v1/events',
    'http://127.9.9.9:3900/',
    'https://127.0.0.1/',
    'http://[::ffff:127.0.0.1]:3900/',
    'http://[::1]:3900/',
  ])('%s is rejected in an allowed network because of its port', (url) => {
    const networks = new WebhookAddressPolicy(['127.0.0.0/8', '::1'], ['3900', '443']);
    expect(webhookUrlError(url, networks)).toMatch(/WEBHOOK_FORBIDDEN_PORTS/);
  });

  it('may have a port that is forbidden in the allowed networks if it is public', () => {
    const networks = new WebhookAddressPolicy(['127.0.0.0/8'], ['443']);
    expect(webhookUrlError('https://8.8.8.8/', networks)).toBeUndefined();
  });
});
