import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { clientNetwork } from './client-network.js';

const network = (ip: string, remoteAddress: string | undefined = '10.0.0.1') =>
  clientNetwork({ ip, socket: { remoteAddress } } as FastifyRequest);

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
    ['1:2::3:4:5:192.0.2.7', '1:2:0:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, expected) => {
    expect(network(address)).toBe(expected);
  });

  it('is that of the connection if the proxy reports an invalid address', () => {
    expect(network('x'.repeat(10_000), '::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(clientNetwork({ ip: 'unknown', socket: {} } as FastifyRequest)).toBe('');
  });
});
