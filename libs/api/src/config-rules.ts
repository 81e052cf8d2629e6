import { isIP } from 'node:net';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** A setting's rule: undefined when it holds, else what the setting should be. */
export type Rule = (value: unknown, others: Record<string, unknown>) => string | undefined;

/** A rule for a setting, beside those of class-validator: its words are what `ConfigError` shows. */
export function follows(name: string, rule: Rule): PropertyDecorator {
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

/** One or more `host:port`. */
export function AreBrokers(): PropertyDecorator {
  return follows('areBrokers', (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isHostAndPort)
      ? undefined
      : 'it must be host:port, comma-separated, with ports from 1 to 65535',
  );
}

function isHostAndPort(text: unknown): boolean {
  const port = typeof text === 'string' ? /^[^\s:/@]+:(\d{1,5})$/.exec(text)?.[1] : undefined;
  return port !== undefined && Number(port) > 0 && Number(port) < 65_536;
}

/** Names of hosts, without a port: `gateway`, `events.example.com`. */
export function AreHostNames(): PropertyDecorator {
  const name = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
  return follows('areHostNames', (value) =>
    Array.isArray(value) && value.every((host) => name.test(String(host)))
      ? undefined
      : 'it must be names of hosts, comma-separated, without ports and wildcards',
  );
}

/** IP addresses, alone or with the length of a network's prefix: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`. */
export function AreNetworks(): PropertyDecorator {
  return follows('areNetworks', (value) =>
    Array.isArray(value) && value.every(isNetwork)
      ? undefined
      : 'it must be IP addresses or networks such as 10.0.0.0/8, comma-separated; every address at once is none of them',
  );
}

function isNetwork(text: unknown): boolean {
  const [address = '', bits, ...rest] = String(text).split('/');
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (longest === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= longest);
}

/** `http://host:port`: nothing secret, which a log could show. That goes to other settings: say which. */
export function IsOpenUrl(secretsGoTo: string): PropertyDecorator {
  return follows('isOpenUrl', (value) => {
    const url = typeof value === 'string' && /^https?:\/\/\S+$/.test(value) ? parse(value) : undefined;
    if (!url || url.port === '0') return 'it must be http(s)://host:port';
    if (!url.username && !url.password && !url.search && !url.hash) return undefined;
    return `it must be http(s)://host:port alone; ${secretsGoTo}`;
  });
}

/** `name=value`, comma-separated, values percent-encoded: headers of HTTP requests. */
export function AreHeaders(): PropertyDecorator {
  const pair = /^\s*[\w!#$%&'*+.^`|~-]+\s*=(?:[!#$&-+\--~ ]|%[2-7][\da-f])*$/i;
  return follows('areHeaders', (value) =>
    typeof value === 'string' && value.split(',').every((part) => pair.test(part))
      ? undefined
      : 'it must be name=value, comma-separated, with values percent-encoded',
  );
}

/** A part of a whole. */
export function IsShare(): PropertyDecorator {
  return follows('isShare', (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'it must be a number from 0 to 1',
  );
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** A setting that means nothing without others. */
export function Needs(...names: string[]): PropertyDecorator {
  return follows('needs', (_value, others) => {
    const missing = names.filter((name) => others[name] === undefined);
    return missing.length > 0 ? `it needs ${missing.join(' and ')} too` : undefined;
  });
}

/** A value for a message: what stands before an `@` or behind a `?` in it may be a password. */
export function withoutCredentials(text: string): string {
  return text.replace(/[^\s",/]*(?:\/[^\s",@]*)?@/g, '***@').replace(/\?[^\s",]*/g, '?***');
}
