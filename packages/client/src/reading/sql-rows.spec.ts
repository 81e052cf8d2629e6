import { describe, expect, it } from 'vitest';
import { SqlError, InvalidAnswerError } from '../errors/tributary-error.js';
import { fakeFetch, type FakeAnswer } from '../http/fake-fetch.fixture.js';
import { Tributary } from '../tributary.js';
import { SqlRows } from './sql-rows.js';

const rowsType = { 'content-type': 'application/x-ndjson; charset=UTF-8' };
const lines = '["name","big"]\n["a\\nb",18446744073709551615]\n[null, 1.10]\n';

function given(answer: FakeAnswer = { body: lines, headers: rowsType }) {
  const fetch = fakeFetch(() => answer);
  return { fetch, client: new Tributary({ url: 'http://tributary', apiKey: 'k', fetch }) };
}

/** A body with these pieces; an error in the list breaks the stream. */
function bodyOf(...pieces: (string | Error)[]): ReadableStream<Uint8Array> & { cancelled?: boolean } {
  const body: ReadableStream<Uint8Array> & { cancelled?: boolean } = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Error) controller.error(piece);
      else controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel: () => void (body.cancelled = true),
  });
  return body;
}

describe('the rows of a SQL statement', () => {
  it('have the column names and every digit', async () => {
    const rows = await given().client.sql<{ name: string | null; big: number }>('SELECT name, big FROM t');
    const read = [];
    for await (const row of rows) read.push(row);
    expect(rows.columns).toEqual(['name', 'big']);
    expect(read.map(({ rowText }) => rowText)).toEqual([
      '{"name":"a\\nb","big":18446744073709551615}',
      '{"name":null,"big":1.10}',
    ]);
    expect(read[0]!.row).toEqual({ name: 'a\nb', big: 2 ** 64 });
    expect(read[1]!.texts).toEqual(['null', '1.10']);
  });

  it('are requested with the unchanged statement and escaped parameters', async () => {
    const { fetch, client } = given();
    const parameters = { text: 'a\tb\\', n: 5, yes: true, none: null };
    await (await client.sql("SELECT 'ü' -- x", { parameters })).all();
    const [{ method, path, headers, text }] = fetch.seen as [(typeof fetch.seen)[0]];
    expect([method, text]).toEqual(['POST', "SELECT 'ü' -- x"]);
    expect(Object.fromEntries(new URL(path, 'http://t').searchParams)).toEqual({
      ...{ param_text: 'a\\tb\\\\', param_n: '5', param_yes: 'true', param_none: '\\N' },
      default_format: 'JSONCompactEachRowWithNames',
    });
    expect(headers).toMatchObject({ authorization: 'Bearer k', 'content-type': 'text/plain' });
  });

  it.each([
    ['csv', 'CSVWithNames', 'text/csv; charset=UTF-8'],
    ['ndjson', 'JSONEachRow', 'application/x-ndjson; charset=UTF-8'],
  ] as const)('are exported as %s', async (format, name, type) => {
    const { fetch, client } = given({ body: '1\n', headers: { 'content-type': type } });
    const body = await client.exportSql('SELECT 1', { format });
    expect(await new Response(body).text()).toBe('1\n');
    expect(new URL(fetch.seen[0]!.path, 'http://t').searchParams.get('default_format')).toBe(name);
  });

  it('are not exported in another format, which the statement names', async () => {
    const { client } = given();
    await expect(client.exportSql('SELECT 1 FORMAT NDJSON', { format: 'csv' })).rejects.toThrow(
      InvalidAnswerError,
    );
  });

  it('have the warning of the server, if there is one', async () => {
    const headers = { ...rowsType, 'x-tributary-warning': 'Doubtful' };
    expect((await given({ body: lines, headers }).client.sql('SELECT 1')).warning).toBe('Doubtful');
    expect((await given().client.sql('SELECT 1')).warning).toBeUndefined();
  });

  it('are parsed from any split into pieces', async () => {
    const rows = await SqlRows.of(bodyOf('["', 'n"]\n[', '1]\n[2', ']\n'));
    expect(await rows.all()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('are empty if nothing matches, but the columns have names', async () => {
    const rows = await SqlRows.of(bodyOf('["n"]\n'));
    expect([rows.columns, await rows.all()]).toEqual([['n'], []]);
  });

  it('cancel the request when the loop is left', async () => {
    const body = bodyOf('["n"]\n', '[1]\n', '[2]\n');
    for await (const { row } of await SqlRows.of(body)) {
      expect(row).toEqual({ n: 1 });
      break;
    }
    expect(body.cancelled).toBe(true);
  });

  it('throw the error of a statement that fails after the first rows', async () => {
    const said = '\r\n__exception__\r\ntag\r\nCode: 395. DB::Exception: Oh. (X)\n30 tag\r\n__exception__\r\n';
    const rows = await SqlRows.of(bodyOf('["n"]\n[1]\n', said, new TypeError('terminated')));
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const { row } of rows) read.push(row);
    })();
    await expect(reading).rejects.toBeInstanceOf(SqlError);
    await expect(reading).rejects.toMatchObject({ code: 395, message: 'Oh. (X)' });
    expect(read).toEqual([{ n: 1 }]);
  });

  it.each([
    ['is cut off', bodyOf('["n"]\n', '[1')],
    ['has something else in it', bodyOf('["n"]\n', '<html>\n', new TypeError('terminated'))],
  ])('reject if the answer %s', async (_, body) => {
    const rows = await SqlRows.of(body);
    await expect(rows.all()).rejects.toBeInstanceOf(InvalidAnswerError);
  });

  it('reject if the statement has a FORMAT clause, and cancel the request', async () => {
    const body = bodyOf('1\n', '2\n');
    await expect(SqlRows.of(body)).rejects.toThrow('leave FORMAT out');
    expect(body.cancelled).toBe(true);
    const csv = given({ body: '1\n', headers: { 'content-type': 'text/csv; charset=UTF-8' } });
    await expect(csv.client.sql('SELECT 1 FORMAT CSV')).rejects.toBeInstanceOf(InvalidAnswerError);
  });
});

it('a statement that is refused is a SqlError', async () => {
  const body = 'Code: 497. DB::Exception: The function sleep is not allowed. (ACCESS_DENIED)\n';
  const refused = given({ status: 403, body, headers: { 'x-clickhouse-exception-code': '497' } });
  const error = await refused.client.sql('SELECT sleep(1)').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SqlError);
  expect(error).toMatchObject({ name: 'SqlError', code: 497, status: 403 });
  expect((error as Error).message).toBe('The function sleep is not allowed. (ACCESS_DENIED)');
});
