import { testEngines } from './engines.js';

/** A ClickHouse server, as a test knows it. */
export interface ClickHouseServer {
  clickhouseUrl: string;
  clickhousePassword: string;
}

/** What `openClickHouse` takes for a database of the engine that this run's specs share. */
export function testClickHouse(database: string): {
  url: string;
  user: string;
  password: string;
  database: string;
} {
  return clickHouseOf(testEngines(), database);
}

/** What `openClickHouse` takes for a database of this server. */
export function clickHouseOf(
  { clickhouseUrl: url, clickhousePassword: password }: ClickHouseServer,
  database: string,
): { url: string; user: string; password: string; database: string } {
  return { url, user: 'default', password, database };
}

/** What proves to ClickHouse who asks. */
export function clickHouseHeaders({ clickhousePassword }: Pick<ClickHouseServer, 'clickhousePassword'>): {
  'X-ClickHouse-User': string;
  'X-ClickHouse-Key': string;
} {
  return { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': clickhousePassword };
}

/** Sends a statement to ClickHouse's HTTP interface, past our own code. */
export function askClickHouse(server: ClickHouseServer, statement: string, search = ''): Promise<Response> {
  return fetch(`${server.clickhouseUrl}/${search}`, {
    method: 'POST',
    body: statement,
    headers: clickHouseHeaders(server),
  });
}
