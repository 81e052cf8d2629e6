import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { refuseCredentials, refuseForeignOrigin } from './guard.js';

const host = '127.0.0.1:8123';

describe("the check of a request's origin", () => {
  it.each(['127.0.0.1', '127.0.0.1:8123', 'localhost:8123', 'LocalHost', '[::1]:8123'])(
    'given the Host %s and no other header, then the request is accepted',
    (name) => expect(refuseForeignOrigin({ host: name })).toBeUndefined(),
  );

  it.each([
    undefined,
    '',
    'attacker.example',
    'attacker.example:8123',
    '127.0.0.1.attacker.example',
    'localhost.attacker.example:8123',
    '127.0.0.1:8123:80',
    '0.0.0.0:8123',
    'localhost@attacker.example',
    '127.0.0.1 attacker.example',
  ])('given the Host %s, then the request is refused', (name) => {
    expect(refuseForeignOrigin({ host: name })).toMatchObject({ status: 403 });
  });

  it.each([
    { origin: 'https://attacker.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:8123' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '' },
  ] as IncomingHttpHeaders[])(
    'given %j, which only a page in a browser sends, then the request is refused',
    (headers) => {
      expect(refuseForeignOrigin({ host, ...headers })).toMatchObject({ status: 403 });
    },
  );

  it.each(['none', 'same-origin'])('given Sec-Fetch-Site %s, then the request is accepted', (site) => {
    expect(refuseForeignOrigin({ host, 'sec-fetch-site': site })).toBeUndefined();
  });
});

describe("the check of a query's credentials", () => {
  const basic = (text: string): IncomingHttpHeaders => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });

  it.each([
    basic('default:secret'),
    { 'x-clickhouse-user': 'default', 'x-clickhouse-key': 'secret' },
    { 'x-clickhouse-key': 'secret' },
  ] as IncomingHttpHeaders[])('given %j, then the query is answered', (headers) => {
    expect(refuseCredentials(headers, 'secret')).toBeUndefined();
  });

  it.each([
    {},
    basic('default:'),
    basic('default:secre'),
    basic('default:secrets'),
    basic('admin:secret'),
    { authorization: 'Bearer secret' },
    { 'x-clickhouse-user': 'default' },
    { 'x-clickhouse-user': 'admin', 'x-clickhouse-key': 'secret' },
    // A credential that is given twice is refused: neither of the two is chosen.
    { ...basic('default:wrong'), 'x-clickhouse-key': 'secret' },
  ] as IncomingHttpHeaders[])(
    'given %j, then the query is refused, and the answer does not contain the password',
    (headers) => {
      const refusal = refuseCredentials(headers, 'secret');
      expect(refusal).toMatchObject({ status: 403 });
      expect(refusal?.text).not.toMatch(/secre/);
    },
  );
});
