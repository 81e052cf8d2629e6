import { afterAll, beforeAll } from 'vitest';
import { freePort } from '#local';
import { AppProcess, HttpClient, type TestSystem } from '#testkit';

/**
 * Runs a second gateway process on the same Kafka and ClickHouse during a spec file. Returns a function that returns an
 * HTTP client of its core port.
 */
export function useSecondGateway(system: () => TestSystem): () => HttpClient {
  let gateway: AppProcess | undefined;
  let client: HttpClient | undefined;
  beforeAll(async () => {
    const { brokers, clickhouseUrl, clickhousePassword, prefix, database } = system();
    const [core, query] = await Promise.all([freePort(), freePort()]);
    const url = `http://127.0.0.1:${core}`;
    gateway = new AppProcess({
      app: 'gateway',
      name: 'gateway-2',
      probeUrl: url,
      env: {
        KAFKA_BROKERS: brokers,
        KAFKA_TOPIC_PREFIX: prefix,
        CLICKHOUSE_URL: clickhouseUrl,
        CLICKHOUSE_USER: 'tributary',
        CLICKHOUSE_PASSWORD: clickhousePassword,
        CLICKHOUSE_DATABASE: database,
        GATEWAY_CORE_PORT: String(core),
        GATEWAY_QUERY_PORT: String(query),
      },
    });
    client = new HttpClient(url);
    await gateway.launch().ready();
  });
  afterAll(async () => {
    await client?.close();
    await gateway?.stop();
    gateway?.discardLog();
  });
  return () => {
    if (!client) throw new Error('The second gateway has not been started');
    return client;
  };
}
