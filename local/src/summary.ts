import { join } from 'node:path';
import { reachableHost, type LocalSettings } from './settings.js';

const embeddedClickHouse =
  'ClickHouse runs as one server for development, from the library that npm installed. Set CLICKHOUSE_URL to use another server.';

/** Returns the text that `npm start` prints: addresses, the key, and two commands to paste. */
export function summary(settings: LocalSettings, apiKey: string): string {
  const at = (port: number): string => `http://${reachableHost(settings)}:${port}`;
  const { ports } = settings;
  const addresses = [
    ['core (no key)', at(ports.GATEWAY_CORE_PORT), 'writes and reads, for services'],
    ['ingest', at(ports.INGEST_PORT), 'writes, for many producers'],
    ['query (key)', at(ports.GATEWAY_QUERY_PORT), 'the same API, with an API key'],
    ['materializer', at(ports.MATERIALIZER_PORT), 'health and metrics'],
    ['processor', at(ports.PROCESSOR_PORT), 'health and metrics'],
    ['docs', `${at(ports.GATEWAY_CORE_PORT)}/docs`, 'the API, to read and to try'],
    ['console', `${at(ports.GATEWAY_QUERY_PORT)}/console`, 'the system in a browser, with the API key'],
    ['API key', apiKey, ''],
  ].map(([name = '', value = '', what = '']) => `${name.padEnd(14)} ${value}${what && `  ${what}`}`);
  const event = '{"stream":"greetings","event_type":"sent","entity_id":"ann","data":{"text":"Hello"}}';
  return [
    '',
    ...boxed('Tributary is running', addresses),
    '',
    'Write an event:',
    `  curl -s ${at(ports.GATEWAY_CORE_PORT)}/api/v1/events -H 'content-type: application/json' -d '${event}'`,
    '',
    'Read it back:',
    `  curl -s '${at(ports.GATEWAY_QUERY_PORT)}/api/v1/events/query?stream=greetings' -H 'authorization: Bearer ${apiKey}'`,
    '',
    `The key has every scope. It is stored in ${join(settings.dataDir, 'api-key')}; POST /api/v1/keys issues keys with fewer scopes.`,
    ...(settings.clickhouseUrl ? [] : [embeddedClickHouse]),
    `The logs are in ${join(settings.dataDir, 'logs')}. Ctrl-C stops everything in order; the data remains.`,
    '',
  ].join('\n');
}

function boxed(title: string, lines: string[]): string[] {
  const width = Math.max(title.length + 2, ...lines.map((line) => line.length));
  return [
    `┌─ ${title} ${'─'.repeat(width - title.length - 1)}┐`,
    ...lines.map((line) => `│ ${line.padEnd(width)} │`),
    `└${'─'.repeat(width + 2)}┘`,
  ];
}
