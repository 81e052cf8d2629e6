import { BlockList, isIP } from 'node:net';

/**
 * IPv4 networks outside the public internet, from IANA's special-purpose registries (RFC 6890 and its successors). An
 * address in such a network may be an internal service. Of IPv6, only 2000::/3 is public.
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/**
 * IPv6 networks within 2000::/3 that are not public, because they embed other addresses (Teredo, 6to4) or are for
 * documentation and benchmarks.
 */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return list;
}

const forbidden = listOf([...special4, ...special6]);
const public6 = listOf(['2000::/3']);

/**
 * Decides to which IP addresses webhooks may be sent: to public ones, and to networks that the operator of the
 * installation allows.
 */
export class WebhookAddressPolicy {
  private readonly allowed: BlockList;

  /** @param allowed Addresses and networks in CIDR notation that are permitted although they are not public. */
  constructor(allowed: readonly string[]) {
    this.allowed = listOf(allowed);
  }

  /** Returns whether webhooks may be sent to this IP address (IPv4 or IPv6, without a zone). */
  permits(address: string): boolean {
    const plain = mapped.exec(address)?.[1] ?? address;
    if (this.opens(plain)) return true;
    if (isIP(plain) === 4) return !forbidden.check(plain, 'ipv4');
    return isIP(plain) === 6 && public6.check(plain, 'ipv6') && !forbidden.check(plain, 'ipv6');
  }

  /**
   * Returns whether the IP address is in a network that the operator allows explicitly. Webhooks may be sent to such an
   * address without TLS.
   */
  opens(address: string): boolean {
    const plain = mapped.exec(address)?.[1] ?? address;
    const family = isIP(plain);
    return family !== 0 && this.allowed.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }
}
