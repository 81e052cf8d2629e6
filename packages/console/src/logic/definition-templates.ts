import type { PipelineInput, ProjectionInput, SubscriptionInput } from '#client';

type Kind = 'pipelines' | 'projections' | 'subscriptions';

/** Definitions to begin with, by what they show. Their source is the given stream. */
const templates: {
  pipelines: Readonly<Record<string, (stream: string) => Omit<PipelineInput, 'name' | 'source'>>>;
  projections: Readonly<Record<string, (stream: string) => Omit<ProjectionInput, 'name' | 'source'>>>;
  subscriptions: Readonly<Record<string, (stream: string) => Omit<SubscriptionInput, 'name' | 'source'>>>;
} = {
  pipelines: {
    'filter → map → emit': (stream) => ({
      operators: [
        { filter: 'has(event.data.amount) && event.data.amount > 100.0' },
        { map: { data: { amount: 'event.data.amount', entity: 'event.entity_id' } } },
        { emit: { stream: `${stream}-large`, event_type: 'amount.large' } },
      ],
    }),
    window: (stream) => ({
      operators: [
        { window: { tumbling: '1m', key: 'event.event_type', lateness: '10s' } },
        { reduce: { events: { op: 'count' } } },
        { emit: { stream: `${stream}-per-minute`, event_type: 'events.counted' } },
      ],
    }),
    join: (stream) => ({
      operators: [
        { filter: "event.event_type == 'order.placed'" },
        {
          join: {
            with: { streams: [stream], event_types: ['payment.received'] },
            left: 'event.entity_id',
            right: 'event.entity_id',
            within: { before: '10m', after: '30m' },
            lateness: '1m',
            kind: 'left',
            as: 'payment',
          },
        },
        { emit: { stream: `${stream}-joined` } },
      ],
    }),
    expect: (stream) => ({
      operators: [
        {
          expect: {
            after: "event.event_type == 'order.placed'",
            event: "event.event_type == 'order.paid'",
            key: 'event.entity_id',
            within: '30m',
            as: 'payment.missing',
          },
        },
        { emit: { stream: `${stream}-missing` } },
      ],
    }),
    webhook: () => ({
      operators: [
        { filter: "event.event_type == 'order.placed'" },
        { webhook: { url: 'https://example.com/hook', secret_ref: 'hook' } },
      ],
    }),
  },
  projections: {
    'latest data of each entity': () => ({
      key: 'event.entity_id',
      fields: { data: { op: 'last', value: 'event.data' } },
    }),
    'count by type': () => ({
      key: 'event.event_type',
      fields: { events: { op: 'count' }, last: { op: 'max', value: 'event.timestamp' } },
    }),
    'largest events': () => ({
      key: 'event.event_type',
      fields: { largest: { op: 'top', n: 10, by: 'event.data.amount', value: 'event.data' } },
    }),
  },
  subscriptions: {
    'in the order of each entity': () => ({
      from: 'now',
      order: 'entity',
      ack_within: '30s',
      retry: { attempts: 8, backoff: { first: '1s', factor: 4, most: '1h' } },
    }),
    'in any order': () => ({ from: 'now', order: 'none', max_outstanding: 1_000 }),
  },
};

/** Returns the names of the templates of a kind. */
export function templateNames(kind: Kind): string[] {
  return Object.keys(templates[kind]);
}

/** Returns the definition of a template, with a stream as its source. */
export function templateOf(kind: Kind, template: string, stream: string): object {
  return { source: { streams: [stream] }, ...templates[kind][template]!(stream) };
}
