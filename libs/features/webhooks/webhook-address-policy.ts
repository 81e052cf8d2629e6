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

/** Where a webhook would connect: an IP address (IPv4 or IPv6, without a zone) and a port, with TLS or without. */
interface WebhookEndpoint {
  address: string;
  port: number;
  isTls: boolean;
}

const notPublic =
  'leads to an address that is not public (private, loopback, link-local or reserved); the operator of this installation can allow ' +
  'it with WEBHOOK_ALLOWED_NETWORKS';
const forbiddenPort =
  'leads to a port that WEBHOOK_FORBIDDEN_PORTS of this installation excludes, such as one of Tributary itself';

/**
 * Decides to which IP addresses and ports webhooks may be sent: with TLS to public addresses, and to the networks that
 * the operator of the installation allows, except for the ports that the operator excludes there.
 */
export class WebhookAddressPolicy {
  private readonly allowed: BlockList;
  private readonly forbiddenPorts: ReadonlySet<number>;

  /**
   * @param allowed Addresses and networks in CIDR notation that are permitted although they are not public.
   * @param forbiddenPorts Ports that are not permitted in these networks.
   */
  constructor(allowed: readonly string[], forbiddenPorts: readonly string[] = []) {
    this.allowed = listOf(allowed);
    this.forbiddenPorts = new Set(forbiddenPorts.map(Number));
  }

  /**
   * Returns why no webhook may be sent there, as the end of a sentence that begins with its URL; undefined if it may. The
   * text is the same whether a URL contains the address or its host name resolves to it.
   */
  errorAt({ address, port, isTls }: WebhookEndpoint): string | undefined {
    const plain = mapped.exec(address)?.[1] ?? address;
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(plain) !== 0 && this.allowed.check(plain, family))
      return this.forbiddenPorts.has(port) ? forbiddenPort : undefined;
    const isPublic = isIP(plain) === 4 || (isIP(plain) === 6 && public6.check(plain, 'ipv6'));
    if (!isPublic || forbidden.check(plain, family)) return notPublic;
    return isTls ? undefined : 'must begin with https://';
  }
}
