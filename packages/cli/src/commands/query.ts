import type { EventQuery, StoredEvent } from '#client';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';
import { eventColumns, filterOf, filterOptions, streamsPositional, waitOption } from './event-filter.js';

const pageSize = 1000;

export const query: Command = {
  name: 'query',
  summary: 'Shows events, ordered by the time they happened.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    order: { value: 'ORDER', oneOf: ['asc', 'desc'], about: 'oldest or newest first; default asc' },
    limit: { value: 'N', least: 1, about: 'maximum number of events; default: all' },
    ...waitOption,
  },
  effect: 'reads',
  async run(session, input) {
    const most = input.whole('limit') ?? Infinity;
    const order = input.text('order') as EventQuery['order'];
    const wait_for = input.texts('wait-for');
    const events = eventsOf(session, {
      ...filterOf(input),
      order,
      wait_for,
      limit: Math.min(most, pageSize),
    });
    await session.output.list(first(events, most), eventColumns);
  },
};

async function* eventsOf(session: CommandSession, query: EventQuery): AsyncGenerator<StoredEvent> {
  yield* (await session.client()).events(query, { signal: session.signal });
}

async function* first<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  let left = most;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}
