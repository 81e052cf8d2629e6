import { isIP } from 'node:net';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Validates a setting. Returns undefined if the value is valid, else a text that says what the setting must be. */
type SettingRule = (value: unknown, others: Record<string, unknown>) => string | undefined;

/** Adds a rule to a setting besides those of class-validator; `ConfigError` contains the text that the rule returns. */
export function FollowsRule(name: string, rule: SettingRule): PropertyDecorator {
  const judge = (value: unknown, args?: ValidationArguments): string | undefined =>
    rule(value, (args?.object ?? {}) as Record<string, unknown>);
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => judge(value, args) === undefined,
      defaultMessage: (args) => judge(args?.value, args) ?? '',
    },
  });
}

/** Decorator that requires a setting to satisfy `isValid`; `message` says what the setting must be. */
function Satisfies(name: string, isValid: (value: unknown) => boolean, message: string): PropertyDecorator {
  return FollowsRule(name, (value) => (isValid(value) ? undefined : message));
}

/** Validates that a setting is a list of one or more `host:port`, with ports from 1 to 65535. */
export function AreBrokers(): PropertyDecorator {
  return Satisfies(
    'areBrokers',
    (value) => Array.isArray(value) && value.length > 0 && value.every(isHostAndPort),
    'it must be host:port, comma-separated, with ports from 1 to 65535',
  );
}

function isHostAndPort(text: unknown): boolean {
  const port = typeof text === 'string' ? /^[^\s:/@]+:(\d{1,5})$/.exec(text)?.[1] : undefined;
  return port !== undefined && Number(port) > 0 && Number(port) < 65_536;
}

/** Validates that a setting is a list of ports. */
export function ArePorts(): PropertyDecorator {
  return Satisfies(
    'arePorts',
    (value) => Array.isArray(value) && value.every((port) => isHostAndPort(`host:${port}`)),
    'it must be ports from 1 to 65535, comma-separated',
  );
}

/** Matches a host name without a port, or an IPv4 address. International names are in Punycode. */
export const hostNamePattern = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/** Validates that a setting is a list of host names without ports, such as `gateway` or `events.example.com`. */
export function AreHostNames(): PropertyDecorator {
  return Satisfies(
    'areHostNames',
    (value) => Array.isArray(value) && value.every((host) => hostNamePattern.test(String(host))),
    'it must be host names, comma-separated, without ports and wildcards',
  );
}

/**
 * Validates that a setting is a list of IP addresses and networks in CIDR notation, such as `10.1.2.3`, `10.0.0.0/8` or
 * `fd00::/8`. The network of all addresses is invalid.
 */
export function AreNetworks(): PropertyDecorator {
  return Satisfies(
    'areNetworks',
    (value) => Array.isArray(value) && value.every(isNetwork),
    'it must be IP addresses or networks such as 10.0.0.0/8, comma-separated; a network of all addresses is not allowed',
  );
}

function isNetwork(text: unknown): boolean {
  const [address = '', bits, ...rest] = String(text).split('/');
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (longest === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= longest);
}

/**
 * Validates that a setting is an `http://` or `https://` URL without credentials, query and fragment, because the log
 * shows it. `secretsGoTo` is the end of the error text, and names the settings in which credentials belong.
 */
export function IsUrlWithoutCredentials(secretsGoTo: string): PropertyDecorator {
  return FollowsRule('isOpenUrl', (value) => {
    const isUrl = typeof value === 'string' && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
    const url = isUrl ? new URL(value) : undefined;
    if (!url || url.port === '0') return 'it must be http(s)://host:port';
    if (!url.username && !url.password && !url.search && !url.hash) return undefined;
    return `it must be http(s)://host:port and nothing else; ${secretsGoTo}`;
  });
}

/** Validates that a setting is a list of HTTP headers, `name=value`, comma-separated, with percent-encoded values. */
export function AreHeaders(): PropertyDecorator {
  const pair = /^\s*[\w!#$%&'*+.^`|~-]+\s*=(?:[!#$&-+\--~ ]|%[2-7][\da-f])*$/i;
  return Satisfies(
    'areHeaders',
    (value) => typeof value === 'string' && value.split(',').every((part) => pair.test(part)),
    'it must be name=value, comma-separated, with values percent-encoded',
  );
}

/** Validates that a setting is a number from 0 to 1, both inclusive. */
export function IsFraction(): PropertyDecorator {
  const isFraction = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1;
  return Satisfies('isShare', isFraction, 'it must be a number from 0 to 1');
}

/** Validates that the named other settings are set, too. Without them, the decorated setting has no effect. */
export function RequiresSettings(...names: string[]): PropertyDecorator {
  return FollowsRule('needs', (_value, others) => {
    const missing = names.filter((name) => others[name] === undefined);
    return missing.length > 0 ? `it needs ${missing.join(' and ')} too` : undefined;
  });
}

/** Requires that the value is empty or differs from that of another setting. */
export function DiffersFrom(name: string): PropertyDecorator {
  return FollowsRule('differs', (value, others) =>
    value !== '' && value === others[name] ? `it must not be the same as ${name}` : undefined,
  );
}

/** Masks credentials in a text for a message: everything before an `@` and after a `?` may be a password. */
export function withoutCredentials(text: string): string {
  return text.replace(/[^\s",/]*(?:\/[^\s",@]*)?@/g, '***@').replace(/\?[^\s",]*/g, '?***');
}
