import { clientOf, fakeFetch, type FakeAnswer, type SeenRequest } from '../http/fake-fetch.fixture.js';
import type { EventPosition } from './pending-event.js';
import { Producer, type ProducerOptions } from './producer.js';

/** An event in the body of a request that a spec's server has received. */
interface SentEvent {
  event_id: string;
  entity_id?: string;
  expected_version?: number;
  data: { n: number };
}

/** Returns the events of a request, which contains one event or a batch. */
export function eventsOf({ text }: SeenRequest): SentEvent[] {
  const body = JSON.parse(text) as SentEvent & { events?: SentEvent[] };
  return body.events ?? [body];
}

/** Answers each request like a server that accepts all events. */
export function written(request: SeenRequest): FakeAnswer {
  const positions = eventsOf(request).map(({ event_id, data }) => ({
    event_id,
    partition: 0,
    offset: data.n,
  }));
  if (!request.path.endsWith('/batch')) return { status: 201, body: positions[0] };
  return { status: 201, body: { accepted: positions.length, rejected: 0, events: positions } };
}

export function givenProducer(
  answer: (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer> = written,
  options: ProducerOptions = {},
) {
  const fetch = fakeFetch(answer);
  const acknowledged: EventPosition[] = [];
  const producer = new Producer(clientOf(fetch), options, (position) => acknowledged.push(position));
  const send = (n: number, more: object = {}, signal?: AbortSignal) =>
    producer.send({ stream: 's', event_type: 't', data: { n }, ...more }, { ...(signal && { signal }) });
  return { producer, send, acknowledged, requests: fetch.seen };
}
