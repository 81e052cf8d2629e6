import { hostNamePattern } from '#api';
import { isJsonObject, JsonScanner } from '#json';
import { secretNamePattern } from '#event';
import { webhookKey, webhookSecretRule } from './signature.js';

/** Maximum number of hosts of a secret, and of its values: a new and an old one, while the secret is rotated. */
const [mostHosts, mostValues] = [100, 2];

const example = '{"shop":{"value":"whsec_…","hosts":["hooks.example.com"]}}';

/** Keys of a webhook secret, and the hosts that may receive what they sign, as `URL.host` writes them. */
interface WebhookSecret {
  readonly keys: readonly Buffer[];
  readonly hosts: ReadonlySet<string>;
}

/** The keys with which a delivery is signed, or the reason why it must not be signed and what to change. */
export type SigningKeys = { readonly keys: readonly Buffer[] } | { readonly refusal: string };

/**
 * The webhook secrets of an installation, by name. A secret signs only requests to its own hosts: otherwise whoever may
 * define a pipeline could let any secret sign a text of their choice, and present it to the secret's receivers.
 */
export class WebhookSecrets {
  private readonly secrets: ReadonlyMap<string, WebhookSecret>;

  /**
   * @param text JSON object with `{value, hosts}` for each name; `value` is one `whsec_…`, or a list of two while a
   *   secret is rotated. An empty text contains no secret.
   * @throws RangeError when `webhookSecretsError` returns an error
   */
  constructor(text: string) {
    const parsed = parse(text);
    if (typeof parsed === 'string') throw new RangeError(parsed);
    this.secrets = parsed;
  }

  /**
   * Returns the keys for a request to this URL. The refusal names no other host: whoever reads it may not know the
   * secret's receivers.
   */
  keysFor({ url, secretRef }: { url: string; secretRef: string }): SigningKeys {
    const { host, port, protocol } = new URL(url);
    const secret = this.secrets.get(secretRef);
    if (!secret)
      return {
        refusal: `There is no webhook secret ${secretRef}. Add {"${secretRef}":{"value":"whsec_…","hosts":["${host}"]}} to WEBHOOK_SECRETS of the processors.`,
      };
    // `URL.host` has no default port, and `hostOf` removes only that of https.
    const isPlain = protocol === 'http:' && port === '';
    if (secret.hosts.has(host) || (isPlain && secret.hosts.has(`${host}:80`))) return { keys: secret.keys };
    return {
      refusal: `The webhook secret ${secretRef} must not sign requests to ${host}. Name a secret of this host, or add ${host} to the hosts of ${secretRef} in WEBHOOK_SECRETS of the processors.`,
    };
  }
}

/** Returns why the text of `WebhookSecrets` is invalid, without revealing any value; undefined if it is valid. */
export function webhookSecretsError(text: string): string | undefined {
  const parsed = parse(text);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Returns the secrets, or why the text is invalid. */
function parse(text: string): ReadonlyMap<string, WebhookSecret> | string {
  if (text.trim() === '') return new Map();
  const all = objectOf(text);
  if (!all) return `must be a JSON object such as ${example}`;
  if (all === 'repeated') return 'must not have two secrets or two members with the same name';
  const secrets = new Map<string, WebhookSecret>();
  for (const [i, [name, given]] of Object.entries(all).entries()) {
    // The error does not repeat an invalid name, because it may be a secret.
    if (!secretNamePattern.test(name)) return `entry ${i + 1} must have a name such as "shop"`;
    const secret = secretOf(given);
    if (typeof secret === 'string') return `the secret ${name} ${secret}`;
    secrets.set(name, secret);
  }
  return secrets;
}

/** Returns the object that a text is, or `repeated` if two members of one object have the same name. */
function objectOf(text: string): object | 'repeated' | undefined {
  const scanner = new JsonScanner(text);
  if (scanner.value(scanner.space(0), 0) < 0) return undefined;
  let members = 0;
  try {
    const value = JSON.parse(text, function (this: unknown, _, member: unknown) {
      if (!Array.isArray(this)) members++;
      return member;
    }) as unknown;
    if (!isJsonObject(value)) return undefined;
    // The object that JSON.parse puts around the value counts as well.
    return members - 1 === scanner.members ? value : 'repeated';
  } catch {
    return undefined;
  }
}

function secretOf(given: unknown): WebhookSecret | string {
  if (!isJsonObject(given)) return `must be an object as in ${example}`;
  const { value, hosts, ...others } = given as { value?: unknown; hosts?: unknown };
  if (Object.keys(others).length > 0) return 'must have only the members "value" and "hosts"';
  const keys = [value].flat().map((one) => (typeof one === 'string' ? webhookKey(one) : undefined));
  if (keys.length === 0 || keys.length > mostValues)
    return `must have one "value", or a list of ${mostValues} while it is rotated`;
  if (!keys.every((key) => key !== undefined)) return `${webhookSecretRule}, in "value"`;
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > mostHosts)
    return `needs "hosts": a list of 1 to ${mostHosts} hosts that may receive what it signs, such as ["hooks.example.com"]`;
  const known = hosts.map(hostOf);
  const wrong = known.indexOf(undefined);
  if (wrong >= 0)
    return `has an invalid host ${wrong + 1}: it must be a host name or an IP address, with a port unless it is the default one, without a wildcard, such as hooks.example.com or hooks.example.com:8443`;
  return { keys, hosts: new Set(known as string[]) };
}

/**
 * Returns a host as `URL.host` writes it for https: in lower case, international names in Punycode, without the default
 * port; undefined if the text is no host, or more than one.
 */
function hostOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^[^\s/\\?#@*%]+$/.test(text)) return undefined;
  const url = URL.canParse(`https://${text}/`) ? new URL(`https://${text}/`) : undefined;
  if (!url || url.port === '0' || text.endsWith(':')) return undefined;
  const { hostname, host } = url;
  return hostname.startsWith('[') || hostNamePattern.test(hostname.replace(/\.$/, '')) ? host : undefined;
}
