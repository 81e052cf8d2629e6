import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosenCases, EventStreamClient, HttpClient, testsAll, until } from '#testkit';
import { freshStream } from './api.js';
import { costly, makeCostly } from './cost/costly-data.js';
import { CostMeter } from './cost/cost-meter.js';
import type { WorstCaseRequest } from './cost/worst-case-request.js';
import { streamedEvents, worstCaseRequests } from './cost/worst-case-requests.js';
import { useStack } from './use-stack.js';

const plant = pathToFileURL('dist/test/plant-garbage-collection.js').href;
/** ClickHouse cuts an answer off at the time limit of SQL, which statements reach on a machine with much other work. */
const env = { NODE_OPTIONS: `--import=${plant}`, SQL_SECONDS: '240' };
const system = useStack({ processors: 1, sql: true, env });
/** The endpoints that every port has. */
const systemEndpoints = ['get /health', 'get /health/live', 'get /health/ready', 'get /metrics'];
const writing = [
  ...['post /api/v1/streams', 'post /api/v1/events', 'post /api/v1/events/batch', 'post /v1/logs'],
  ...['post /api/v1/streams/{stream}/raw', 'post /api/v1/streams/{stream}/cloudevents'],
];

/** The ports of all processes. Ports without an OpenAPI document list their endpoints here. */
const ports = {
  core: { url: () => system().urls.core },
  query: { url: () => system().urls.query },
  ingest: { url: () => system().urls.ingest, endpoints: [...writing, ...systemEndpoints] },
  materializer: { url: () => system().materializer.probeUrl, endpoints: systemEndpoints },
  processor: { url: () => system().processors[0]!.probeUrl, endpoints: systemEndpoints },
} as const;
type Port = keyof typeof ports;
const portNames = Object.keys(ports) as Port[];

/** Returns the endpoints of a port: `get /health`. */
async function endpointsOf(port: Port): Promise<readonly string[]> {
  const known = ports[port];
  return 'endpoints' in known ? known.endpoints : documentedOf(port);
}

async function documentedOf(port: Port): Promise<string[]> {
  const answer = await fetch(new URL('/openapi.json', ports[port].url()), { headers: authorized() });
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
}

const authorized = () => ({ authorization: `Bearer ${system().key}` });
const clients = new Map<Port, HttpClient>();
function clientOf(port: Port): HttpClient {
  const client = clients.get(port) ?? new HttpClient(ports[port].url(), { headers: authorized() });
  clients.set(port, client);
  return client;
}

/**
 * Returns the ports that receive the inputs of an endpoint: the first port with the endpoint, because ports share the
 * code of their endpoints. For endpoints that each process implements itself, returns all ports.
 */
async function portsWith(endpoint: string): Promise<Port[]> {
  const all: Port[] = [];
  for (const port of portNames) if ((await endpointsOf(port)).includes(endpoint)) all.push(port);
  return testsAll || systemEndpoints.includes(endpoint) ? all : all.slice(0, 1);
}

/** For an answer that never comes: on a machine with other work, an export of everything may take minutes. */
const answerMs = 250_000;

const isStream = (endpoint: string): boolean => /\/(stream|changes)$/.test(endpoint);

/** Sends the input, and returns the status of the answer. @throws an Error with the text of a 500 */
async function send(
  port: Port,
  endpoint: string,
  { path, body, headers }: WorstCaseRequest,
): Promise<number> {
  const client = clientOf(port);
  if (isStream(endpoint)) return open(`${client.baseUrl}${path}`, { ...authorized(), ...headers });
  const [method] = endpoint.split(' ');
  const { status, text } = await client.send(method!.toUpperCase(), path, {
    ...(body !== undefined && { body }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    timeoutMs: answerMs,
  });
  if (status === 500) throw new Error(`500 ${text.slice(0, 500)}`);
  return status;
}

/** Codes of the errors of a connection that ends before its answer is complete. */
const cutOff = ['UND_ERR_SOCKET', 'ECONNRESET'];

/**
 * Sends the input, and once more if its answer is cut off. On a machine with much other work, ClickHouse reaches its time
 * limit while an answer is being sent, or this process receives an answer too slowly.
 */
function sendUntilComplete(port: Port, endpoint: string, input: WorstCaseRequest): Promise<number> {
  return send(port, endpoint, input).catch((error: Error & { code?: string }) => {
    if (!cutOff.includes(error.code ?? '')) throw error;
    return send(port, endpoint, input);
  });
}

const streams: EventStreamClient[] = [];

afterAll(async () => {
  for (const stream of streams) stream.close();
  await Promise.all([...clients.values()].map((client) => client.close()));
});

/** Opens a live stream and keeps it open: events that are written afterwards are evaluated for it. */
async function open(url: string, headers: Record<string, string>): Promise<number> {
  const stream = await EventStreamClient.open(url, headers);
  streams.push(stream);
  return stream.status;
}

/**
 * Writes the most expensive events for the conditions of the open streams. Resolves when they have been evaluated for
 * all streams.
 */
async function writeForStreams(port: Port): Promise<void> {
  const last = freshStream('last');
  const url = `${clientOf(port).baseUrl}/api/v1/events/stream?stream=${costly.stream}&event_type=${last}`;
  const follower = await EventStreamClient.open(url, authorized());
  const write = (event: string) => clientOf(port).post('/api/v1/events', event);
  for (const event of streamedEvents()) await write(event);
  // One event in every partition: a stream that has received them has evaluated all earlier events.
  for (let i = 0; i < 20; i++)
    await write(JSON.stringify({ stream: costly.stream, event_type: last, entity_id: `${i}`, data: {} }));
  await until(() => follower.messages.filter(({ event }) => event === 'event').length === 20, {
    what: 'the written events have arrived',
    progress: () => follower.messages.length,
  });
  for (const stream of [follower, ...streams.splice(0)]) stream.close();
}

/** Resolves when the materializer and the processor have processed all written events. */
async function caughtUp(): Promise<void> {
  let lag = '';
  const done = async (): Promise<boolean> => {
    const { checks } = (await system().core.get('/health')).json<{
      checks: Record<string, { lag_events?: number }>;
    }>();
    lag = `${checks.materializer?.lag_events} ${checks.processor?.lag_events}`;
    return lag === '0 0';
  };
  await until(done, { what: 'all written events are processed', progress: () => lag, intervalMs: 300 });
}

/**
 * Returns the exceeded limits of an endpoint as sentences. Requests are named by their ids if a log says what was in
 * progress.
 */
async function excessesOf(port: Port, endpoint: string): Promise<string[]> {
  const meter = new CostMeter(system().apps);
  const excesses: string[] = [];
  await meter.begin();
  for (const [index, input] of worstCaseRequests[endpoint]!().entries()) {
    meter.beginMemory();
    const answer = await sendUntilComplete(port, endpoint, {
      ...input,
      headers: { 'x-request-id': `input-${index}`, ...input.headers },
    }).catch((error: Error) => error);
    const wrong = answer instanceof Error ? [String(answer)] : [];
    excesses.push(...[...wrong, ...meter.growth()].map((what) => `input-${index}, ${input.name}: ${what}`));
  }
  if (endpoint.endsWith('/events/stream')) await writeForStreams(port);
  if (/^post .*\/(events|batch|raw|cloudevents|logs|reset|resume)$/.test(endpoint)) await caughtUp();
  return [...excesses, ...(await meter.stalls())].map((excess) => `port ${port}, ${excess}`);
}

describe('the worst known inputs', () => {
  beforeAll(async () => {
    await makeCostly(system());
    await caughtUp();
  });

  it('exist for every endpoint of every port', async () => {
    const endpoints = new Set((await Promise.all(portNames.map(endpointsOf))).flat());
    expect(endpoints.size).toBeGreaterThan(40);
    expect(Object.keys(worstCaseRequests).sort()).toEqual([...endpoints].sort());
  });

  it.each(['ingest', 'materializer', 'processor'] as const)(
    'include every endpoint of port %s',
    async (port) => {
      const own = new Set(await endpointsOf(port));
      for (const endpoint of await endpointsOf('core')) {
        if (own.has(endpoint)) continue;
        const [method, path] = endpoint.split(' ') as [string, string];
        const { status } = await clientOf(port).send(method.toUpperCase(), path.replace(/[{}]/g, ''));
        expect(status, endpoint).toBeOneOf([404, 405]);
      }
    },
  );

  it.each(chosenCases(Object.keys(worstCaseRequests), 14))(
    "%s: blocks no event loop and increases no process's memory beyond the limits",
    async (endpoint) => {
      const excesses: string[] = [];
      const ports = await portsWith(endpoint);
      expect(ports).not.toEqual([]);
      for (const port of ports) excesses.push(...(await excessesOf(port, endpoint)));
      expect(excesses, excesses.join('\n')).toEqual([]);
    },
    600_000,
  );
});
