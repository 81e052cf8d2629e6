import { checkHistory, type Finding, type ObservedEvent } from './checker.js';
import type { HttpClient } from './http-client.js';
import { elementsOf, membersOf } from './json-text.js';
import type { Ledger, LedgerEntry } from './ledger.js';
import { hashOf } from './sent-event.js';
import { until } from './until.js';

/** Result of comparing the ledger of a test run with the stored events: numbers of events, and the faults. */
export interface ReadBackReport {
  acknowledged: number;
  unknown: number;
  read: number;
  findings: Finding[];
}

/** The ledger of a test run, and the client with which to read the stored events. */
interface ReadBackOptions {
  /** HTTP client of the port that answers queries. */
  client: HttpClient;
  ledger: Ledger;
  /** Milliseconds for which the materializer may make no progress while acknowledged events cannot be queried yet. */
  patienceMs?: number;
}

/**
 * Waits until all acknowledged events can be queried. When the events can be queried, reads all of them through the API
 * (by time in both orders, by entity, and as counts) and compares them with the ledger.
 * @throws if acknowledged positions cannot be queried and the materializer makes no progress
 */
export async function check({
  client,
  ledger,
  patienceMs = 90_000,
}: ReadBackOptions): Promise<ReadBackReport> {
  const history = ledger.entries();
  const findings: Finding[] = [];
  const observed: ObservedEvent[] = [];
  for (const [stream, ofStream] of byStream(history)) {
    await untilStreamQueryable(client, ofStream, patienceMs);
    const events = await readPages(client, { stream, order: 'asc' });
    observed.push(...events);
    findings.push(...(await otherViews(client, stream, events)));
  }
  return {
    acknowledged: ledger.count('ok'),
    unknown: ledger.count('unknown'),
    read: observed.length,
    findings: [...checkHistory(history, observed), ...findings],
  };
}

/**
 * Resolves when all events acknowledged so far can be queried, even while clients write.
 * @throws like `check`
 */
export async function untilQueryable({
  client,
  ledger,
  patienceMs = 90_000,
}: ReadBackOptions): Promise<void> {
  for (const ofStream of byStream(ledger.entries()).values())
    await untilStreamQueryable(client, ofStream, patienceMs);
}

/**
 * Checks a report. @throws an Error with the first findings, or if no event was acknowledged, because a run without
 * acknowledged events proves nothing
 */
export function expectClean(report: ReadBackReport): void {
  if (report.acknowledged === 0) throw new Error('Nothing was acknowledged, so nothing was checked');
  if (report.findings.length === 0) return;
  const kinds = new Map<string, number>();
  for (const { kind } of report.findings) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const summary = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const first = report.findings.slice(0, 20).map(({ kind, detail }) => `  ${kind}: ${detail}`);
  const { acknowledged, unknown, read } = report;
  throw new Error(
    `${summary} (${acknowledged} acknowledged, ${unknown} unknown, ${read} read)\n${first.join('\n')}`,
  );
}

function byStream(history: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  const streams = new Map<string, LedgerEntry[]>();
  for (const entry of history) {
    const ofStream = streams.get(entry.stream);
    if (ofStream) ofStream.push(entry);
    else streams.set(entry.stream, [entry]);
  }
  return streams;
}

async function untilStreamQueryable(
  client: HttpClient,
  history: readonly LedgerEntry[],
  patienceMs: number,
): Promise<void> {
  const last = new Map<number, number>();
  for (const { outcome, partition, offset } of history) {
    if (outcome !== 'ok' || partition === undefined || offset === undefined) continue;
    last.set(partition, Math.max(offset, last.get(partition) ?? 0));
  }
  if (last.size === 0) return;
  const query = new URLSearchParams({ stream: history[0]!.stream, limit: '1' });
  for (const [partition, offset] of last)
    query.append('wait_for', `${history[0]!.stream}:${partition}:${offset}`);
  const counting = new URLSearchParams({ stream: history[0]!.stream });
  let said = '';
  let counted = '';
  const queryable = async (): Promise<boolean> => {
    const answer = await client
      .get(`/api/v1/events/query?${query.toString()}`)
      .catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status === 200) return true;
    said = answer instanceof Error ? String(answer) : `${answer.status} ${answer.text}`;
    if (!(answer instanceof Error) && answer.status < 500) throw new Error(`A query was refused: ${said}`);
    const count = client.get(`/api/v1/events/count?${counting.toString()}`);
    counted = await count.then(
      ({ text }) => text,
      () => counted,
    );
    return false;
  };
  const what = `everything acknowledged of ${history[0]!.stream} can be queried`;
  const progress = (): string => counted;
  await until(queryable, { what, progress, patienceMs, intervalMs: 200, diagnosis: () => said });
}

async function otherViews(
  client: HttpClient,
  stream: string,
  events: readonly ObservedEvent[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const differ = (detail: string) => findings.push({ kind: 'views differ', detail: `${stream}: ${detail}` });
  const newestFirst = await readPages(client, { stream, order: 'desc' });
  if (identities(newestFirst.reverse()) !== identities(events)) differ('newest first shows other events');

  const counted = await client.get(`/api/v1/events/count?${new URLSearchParams({ stream }).toString()}`);
  const total = counted.json<{ total?: number }>().total;
  if (total !== events.length) differ(`count says ${total}, the pages have ${events.length}`);

  const entities = [...new Set(events.flatMap(({ entity_id }) => entity_id ?? []))];
  for (let i = 0; i < entities.length; i += 50) {
    const some = entities.slice(i, i + 50);
    const byEntity = await readPages(client, { stream, order: 'asc', entities: some });
    const expected = events.filter(({ entity_id }) => entity_id !== null && some.includes(entity_id));
    if (identities(byEntity) !== identities(expected))
      differ(`by entity shows other events (${some.join(', ')})`);
  }
  return findings;
}

function identities(events: readonly ObservedEvent[]): string {
  return events
    .map((event) => `${event.event_id} ${event.version} ${event.partition}:${event.offset}`)
    .join('\n');
}

interface PageQuery {
  stream: string;
  order: 'asc' | 'desc';
  entities?: readonly string[];
}

/** Reads all pages of a query, following the cursor of each page. */
export async function readPages(
  client: HttpClient,
  query: PageQuery,
  limit = 1000,
): Promise<ObservedEvent[]> {
  const events: ObservedEvent[] = [];
  let cursor: string | undefined;
  do {
    const parameters = new URLSearchParams({
      stream: query.stream,
      order: query.order,
      limit: String(limit),
    });
    for (const entity of query.entities ?? []) parameters.append('entity_id', entity);
    if (cursor) parameters.set('cursor', cursor);
    const answer = await client.get(`/api/v1/events/query?${parameters.toString()}`);
    if (answer.status !== 200) throw new Error(`A page could not be read: ${answer.status} ${answer.text}`);
    const page = membersOf(answer.text);
    events.push(...elementsOf(page.get('events') ?? '[]').map(observe));
    cursor = answer.json<{ next_cursor?: string | null }>().next_cursor ?? undefined;
  } while (cursor);
  return events;
}

function observe(json: string): ObservedEvent {
  const raw = membersOf(json);
  const event = JSON.parse(json) as ObservedEvent & { event_type: string; timestamp: string };
  const { event_id, stream, entity_id, version, partition, offset, event_type, timestamp } = event;
  const hash = hashOf({
    ...{ event_type, timestamp, entity_id },
    data: raw.get('data') ?? '',
    metadata: raw.get('metadata') ?? '',
  });
  return { event_id, stream, entity_id, version, partition, offset, hash };
}
