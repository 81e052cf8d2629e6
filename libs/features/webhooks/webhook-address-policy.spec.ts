import { describe, expect, it } from 'vitest';
import { WebhookAddressPolicy } from './webhook-address-policy.js';

const closed = new WebhookAddressPolicy([]);
const permits = (policy: WebhookAddressPolicy, address: string, { port = 443, isTls = true } = {}): boolean =>
  policy.errorAt({ address, port, isTls }) === undefined;

describe('the networks for webhooks', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'include %s, of the public internet',
    (address) => {
      expect(permits(closed, address)).toBe(true);
    },
  );

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['this host', '0.0.0.0'],
    ['this host', '::'],
    ['private', '10.1.2.3'],
    ['private', '172.31.0.1'],
    ['private', '192.168.0.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local, the metadata service of clouds', '169.254.169.254'],
    ['link-local', 'fe80::1'],
    ['unique local', 'fd00:ec2::254'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['loopback, as IPv4-mapped IPv6', '::ffff:127.0.0.1'],
    ['private, as IPv4-mapped IPv6', '::ffff:10.0.0.1'],
    ['NAT64', '64:ff9b::a00:1'],
    ['6to4 with a private address', '2002:a00:1::'],
    ['Teredo', '2001:0:53aa:64c::1'],
  ])('do not include %s addresses: %s', (_what, address) => {
    expect(permits(closed, address)).toBe(false);
  });

  it('include allowed networks, but not their neighbours', () => {
    const open = new WebhookAddressPolicy(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);

    const permitted = [
      '10.1.2.3',
      'fd00::1',
      '127.0.0.1',
      '::ffff:10.1.2.3',
      '10.2.0.1',
      '127.0.0.2',
      'fe80::1',
    ].filter((one) => permits(open, one));

    expect(permitted).toEqual(['10.1.2.3', 'fd00::1', '127.0.0.1', '::ffff:10.1.2.3']);
  });

  it('include a public address only with TLS, and an allowed one also without', () => {
    const open = new WebhookAddressPolicy(['127.0.0.1']);
    expect(permits(open, '8.8.8.8', { isTls: false })).toBe(false);
    expect(permits(open, '127.0.0.1', { isTls: false })).toBe(true);
  });

  it('do not include a text that is not an address', () => {
    expect(permits(closed, 'example.org')).toBe(false);
    expect(permits(closed, '')).toBe(false);
  });
});
