import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { problemDefinition, type ProblemCode, type ProblemDocument } from '#api';
import { until, type HttpAnswer, type HttpClient } from '#testkit';
import './problems-of-every-app.js';

/** The parsed answer to the write of one event: its id and its position in Kafka. */
export interface SingleWriteAnswer {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string | null;
  timestamp: string;
  partition: number;
  offset: number;
}

/** The parsed answer to a batch of events: a position or an error for each. */
export interface BatchAnswer {
  accepted: number;
  rejected: number;
  events: (SingleWriteAnswer & { error?: { code: string; errors?: { pointer: string }[] } })[];
}

/** An event as a query returns it, parsed from JSON. */
export interface ReadEvent extends SingleWriteAnswer {
  version: number | null;
  ingested_at: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  schema_version: number | null;
}

/** The parsed answer to a query for events. */
export interface EventPage {
  events: ReadEvent[];
  count: number;
  has_more: boolean;
  next_cursor?: string | null;
}

export const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Returns a stream name that no other test uses. */
export function freshStream(name = 's'): string {
  return `${name}-${randomUUID().slice(0, 8)}`;
}

/** Asserts that the answer is this problem document, conforming to RFC 9457 and the catalogue, and returns it. */
export function expectProblem(
  answer: HttpAnswer,
  code: ProblemCode,
): ProblemDocument & { request_id: string } {
  const shown = `${answer.status} ${answer.text.slice(0, 500)}`;
  const { status, title } = problemDefinition(code);
  expect(answer.status, shown).toBe(status);
  expect(answer.headers['content-type'], shown).toMatch(/^application\/problem\+json/);
  const problem = answer.json<ProblemDocument & { request_id: string }>();
  expect(problem).toMatchObject({ code, status, title });
  expect(problem.type).toMatch(/^[a-z][a-z0-9+.-]*:/);
  expect(problem.detail).not.toBe('');
  expect(problem.request_id).toBe(answer.headers['x-request-id']);
  return problem;
}

/** Asserts 201 and returns the answer. */
export function expectWritten(answer: HttpAnswer): SingleWriteAnswer {
  expect(answer.status, answer.text).toBe(201);
  return answer.json<SingleWriteAnswer>();
}

export async function writeEvent(client: HttpClient, event: object | string): Promise<SingleWriteAnswer> {
  return expectWritten(await client.post('/api/v1/events', event));
}

/** Returns `wait_for` with the last position of each partition that was written to. */
/** Writes an event and repeats the request, as a client does, while Kafka does not acknowledge it. */
export async function writePatiently(client: HttpClient, event: object): Promise<SingleWriteAnswer> {
  let answer: HttpAnswer | undefined;
  const isAnswered = async () => (answer = await client.post('/api/v1/events', event)).status !== 503;
  await until(isAnswered, { what: 'the event is written', progress: () => answer?.text ?? '' });
  return expectWritten(answer!);
}

export function waitFor(
  written: readonly { stream?: string; partition: number; offset: number }[],
  stream?: string,
) {
  const last = new Map<string, number>();
  for (const one of written) {
    const partition = `${one.stream ?? stream}:${one.partition}`;
    last.set(partition, Math.max(one.offset, last.get(partition) ?? 0));
  }
  return [...last].map(([partition, offset]): [string, string] => ['wait_for', `${partition}:${offset}`]);
}

/** Query parameters of a request; a list becomes a repeated parameter. */
export type Parameters = Record<string, string | readonly string[]> | readonly (readonly [string, string])[];

/** Returns a path with its query; a list becomes a repeated parameter. */
export function path(base: string, ...parameters: Parameters[]): string {
  const query = new URLSearchParams();
  for (const some of parameters) {
    const pairs = Array.isArray(some)
      ? (some as [string, string][])
      : Object.entries(some as Record<string, string>);
    for (const [name, value] of pairs) for (const one of [value].flat()) query.append(name, one);
  }
  return `${base}?${query.toString()}`;
}

/** The number of attempts with `wait_for`, ten seconds each: on a busy machine, one may not be sufficient. */
const maxWaits = 9;

/** Asserts 200 and returns the page. Repeats the request while `wait_for` times out. */
export async function queryEvents(client: HttpClient, ...parameters: Parameters[]): Promise<EventPage> {
  const query = path('/api/v1/events/query', ...parameters);
  let answer = await client.get(query);
  for (let tries = 1; answer.status === 504 && tries < maxWaits; tries++) answer = await client.get(query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<EventPage>();
}
