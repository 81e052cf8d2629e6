import { testEngines } from './engines.js';

/** The address and password of a ClickHouse server. */
export interface ClickHouseAddress {
  clickhouseUrl: string;
  clickhousePassword: string;
}

/** Returns the options of `openClickHouse` for a database of the shared test engine. */
export function testClickHouse(database: string): {
  url: string;
  user: string;
  password: string;
  database: string;
} {
  return clickHouseOf(testEngines(), database);
}

/** Returns the options of `openClickHouse` for a database of the given ClickHouse server. */
export function clickHouseOf(
  { clickhouseUrl: url, clickhousePassword: password }: ClickHouseAddress,
  database: string,
): { url: string; user: string; password: string; database: string } {
  return { url, user: 'tributary', password, database };
}

/** Returns the headers that authenticate a request to ClickHouse. */
export function clickHouseHeaders({ clickhousePassword }: Pick<ClickHouseAddress, 'clickhousePassword'>): {
  'X-ClickHouse-User': string;
  'X-ClickHouse-Key': string;
} {
  return { 'X-ClickHouse-User': 'tributary', 'X-ClickHouse-Key': clickhousePassword };
}

/** Sends a statement to ClickHouse's HTTP interface, without the store's code. */
export function askClickHouse(server: ClickHouseAddress, statement: string, search = ''): Promise<Response> {
  return fetch(`${server.clickhouseUrl}/${search}`, {
    method: 'POST',
    body: statement,
    headers: clickHouseHeaders(server),
  });
}
