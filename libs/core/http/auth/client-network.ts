import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the network that a request counts for in rate limits: an IPv4 address, or the /64 of an IPv6 address, because
 * one client usually owns a whole /64. Behind a trusted proxy, it is the address that the proxy reports.
 */
export function clientNetwork(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? (isIP(address) === 6 ? `${prefix64(address)}::/64` : address);
}

/** Returns the first four groups of an IPv6 address, each without leading zeros. */
function prefix64(address: string): string {
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

/** Returns the groups of a part of an IPv6 address. An IPv4 address at its end counts as two groups. */
function groupsOf(part: string): string[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
