import { describe, expect, it } from 'vitest';
import { WebhookNetworks } from './networks.js';

const closed = new WebhookNetworks([]);

describe('which addresses a webhook may be sent to', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s, of the public internet',
    (address) => {
      expect(closed.permits(address)).toBe(true);
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
    ['shared by a carrier', '100.64.0.1'],
    ['link-local, as a cloud has its metadata', '169.254.169.254'],
    ['link-local', 'fe80::1'],
    ['unique local', 'fd00:ec2::254'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['loopback, written as IPv6', '::ffff:127.0.0.1'],
    ['private, written as IPv6', '::ffff:10.0.0.1'],
    ['what is behind a translator', '64:ff9b::a00:1'],
    ['6to4 around a private one', '2002:a00:1::'],
    ['Teredo', '2001:0:53aa:64c::1'],
  ])('not %s: %s', (_what, address) => {
    expect(closed.permits(address)).toBe(false);
  });

  it('those that are opened, and no others beside them', () => {
    const open = new WebhookNetworks(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);

    const permitted = [
      '10.1.2.3',
      'fd00::1',
      '127.0.0.1',
      '::ffff:10.1.2.3',
      '10.2.0.1',
      '127.0.0.2',
      'fe80::1',
    ].filter((one) => open.permits(one));

    expect(permitted).toEqual(['10.1.2.3', 'fd00::1', '127.0.0.1', '::ffff:10.1.2.3']);
  });

  it('what is no address is not permitted', () => {
    expect(closed.permits('example.org')).toBe(false);
    expect(closed.permits('')).toBe(false);
  });
});
