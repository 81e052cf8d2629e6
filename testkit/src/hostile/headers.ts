/** Request headers that are expensive to parse, or that other programs parse differently. */
interface HostileHeaders {
  name: string;
  headers: Readonly<Record<string, string>>;
}

/** Number of bytes of one header, below Node.js's limit of 16 KiB. */
const bytes = 12_000;
const filled = (part: string): string => part.repeat(Math.floor(bytes / part.length));

/** The most expensive known headers; any request may have such headers. */
export const hostileHeaders: readonly HostileHeaders[] = [
  { name: 'thousands of accepted types', headers: { accept: filled('a/b;q=0.1,') + '*/*' } },
  { name: 'an accepted type of many parameters', headers: { accept: `text/csv;${filled('a="b;c,";')}q=1` } },
  { name: 'quotes that do not end', headers: { accept: filled('a/b;x="\\"') } },
  { name: 'thousands of accepted encodings', headers: { 'accept-encoding': filled('gzip;q=0.1,') } },
  { name: 'thousands of proxies', headers: { 'x-forwarded-for': filled('127.0.0.1, ') + '::1' } },
  { name: 'a long request id', headers: { 'x-request-id': filled('r') } },
  { name: 'a request id of spaces', headers: { 'x-request-id': `a${' '.repeat(bytes)}b` } },
  { name: 'a long trace', headers: { traceparent: `00-${filled('0')}-01`, tracestate: filled('a=b,') } },
  { name: 'a long key', headers: { authorization: `Bearer ${filled('trb_')}` } },
  { name: 'spaces before a key', headers: { authorization: `Bearer${' '.repeat(bytes)}x` } },
  { name: 'a long last event id', headers: { 'last-event-id': filled('A') } },
  { name: 'thousands of cookies', headers: { cookie: filled('a=b; ') } },
  {
    name: 'many headers',
    headers: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x-${i}`, '1'])),
  },
  {
    name: 'a media type of many parameters',
    headers: { 'content-type': `application/json;${filled('a=b;')}charset=utf-8` },
  },
];
