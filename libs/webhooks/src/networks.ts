import { BlockList, isIP } from 'node:net';

/**
 * Networks that are not the public internet: an address in one of them may be a service that nobody outside is meant to
 * reach. From the special-purpose registries of IANA (RFC 6890 and its successors); of IPv6 everything but 2000::/3.
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
/** Within 2000::/3: addresses that stand for others (Teredo, 6to4), and those of documents and benchmarks. */
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

/** Which addresses a webhook may be sent to. */
export class WebhookNetworks {
  private readonly allowed: BlockList;

  /** @param allowed Addresses and networks in CIDR notation that are opened although they are not public. */
  constructor(allowed: readonly string[]) {
    this.allowed = listOf(allowed);
  }

  /** Whether this address (IPv4 or IPv6, without a zone) may be connected to. */
  permits(address: string): boolean {
    const plain = mapped.exec(address)?.[1] ?? address;
    if (this.opens(plain)) return true;
    if (isIP(plain) === 4) return !forbidden.check(plain, 'ipv4');
    return isIP(plain) === 6 && public6.check(plain, 'ipv6') && !forbidden.check(plain, 'ipv6');
  }

  /** Whether somebody opened it expressly: then it need not be TLS. */
  opens(address: string): boolean {
    const plain = mapped.exec(address)?.[1] ?? address;
    const family = isIP(plain);
    return family !== 0 && this.allowed.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }
}
