import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { faultSeed, SeededRandom } from '#testkit';
import { rawHttp } from '../raw-http.js';
import { system } from './system.js';

/** Returns every port of the system; the query port also with a key. */
const ports = () => [
  ...system().apps.map(({ name, probeUrl }) => ({ name, url: probeUrl, headers: '' })),
  { name: 'query', url: system().urls.query, headers: '' },
  {
    name: 'query with a key',
    url: system().urls.query,
    headers: `Authorization: Bearer ${system().key}\r\n`,
  },
];

/** Returns the status of the answer to a request line, which may be invalid. */
async function statusOf(port: { url: string; headers: string }, line: string | Buffer): Promise<number> {
  const head = `\r\nHost: localhost\r\n${port.headers}Connection: close\r\n\r\n`;
  const { status } = await rawHttp(port.url, Buffer.concat([Buffer.from(line), Buffer.from(head)]));
  return status;
}

const paths = [
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/../../package.json',
  '/docs/%2e%2e%2f%2e%2e%2fpackage.json',
  '/docs/..%5c..%5cpackage.json',
  '/docs/%00',
  '/docs/a%00b',
  '/docs//',
  '/docs/.hidden',
  '/docs/%c0%ae%c0%ae/',
  '/docs/%',
  '/docs/%u002e',
  `/docs/${'a'.repeat(5_000)}`,
  `/docs/${'%2e%2e/'.repeat(500)}`,
  '//',
  '//docs',
  '///api/v1/streams',
  '/%00',
  '/%',
  '/%ff%fe',
  '/api/v1/events/%00',
  '/api/v1/events/%2e%2e',
  '/api/v1/streams/%2f',
  '/api/v1/entities/%00/state?stream=%00',
  '/api/v1/events/query?%00=%00',
  '/api/v1/events/query?stream=%',
  `/api/v1/streams/${'x'.repeat(10_000)}`,
  '/?',
  '/#',
  '*',
  'x',
  'http://localhost/health/live',
  'http://[/',
  'http://localhost:99999/',
];

describe('every port', () => {
  it('answers every HTTP method with a status other than 500', async () => {
    for (const port of ports()) {
      for (const method of METHODS) {
        for (const path of ['/health/live', '/nowhere', '/docs', '/api/v1/events/query', '*']) {
          const status = await statusOf(port, `${method} ${path} HTTP/1.1`);
          expect(status, `${port.name}: ${method} ${path}`).toSatisfy(isNoFault);
        }
      }
    }
  });

  it('answers every path, in any encoding, with a status other than 500', async () => {
    for (const port of ports()) {
      for (const path of paths) {
        const status = await statusOf(port, `GET ${path} HTTP/1.1`);
        expect(status, `${port.name}: ${path.slice(0, 80)}`).toSatisfy(isNoFault);
      }
    }
  });

  it('answers random paths with a status other than 500', async () => {
    const random = new SeededRandom(faultSeed());
    const pieces = [
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2f',
      '%00',
      '%5c',
      '%ff',
      '%',
      ';',
      '?',
      '&',
      '=',
      '#',
      ':',
      '\\',
      '~',
    ];
    const words = ['docs', 'api', 'v1', 'events', 'query', 'streams', 'health', 'metrics', 'state', 'a'];
    for (let round = 0; round < 60; round++) {
      const length = 1 + random.int(12);
      const path = Array.from({ length }, () => random.pick(random.chance(0.5) ? pieces : words)).join('');
      for (const port of ports()) {
        const status = await statusOf(port, `GET /${path} HTTP/1.1`);
        expect(status, `${port.name}: /${path}`).toSatisfy(isNoFault);
      }
    }
  });
});

/** Whether there is an answer without an internal error. */
function isNoFault(status: number): boolean {
  return status >= 200 && status !== 500;
}
