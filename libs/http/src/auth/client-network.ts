import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Where a request comes from, as far as one client is told from another: an IPv4 address, or the /64 of an IPv6
 * address, because whoever has one address of it has all. Behind a trusted proxy it is the address that this has seen.
 */
export function clientNetwork(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? (isIP(address) === 6 ? `${prefix64(address)}::/64` : address);
}

/** The first four groups of an IPv6 address, each without leading zeros. */
function prefix64(address: string): string {
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

/** An IPv4 address at the end stands for two groups. */
function groupsOf(part: string): string[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
