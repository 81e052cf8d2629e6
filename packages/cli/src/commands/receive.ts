import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedEvent, SubscriptionConsumer } from '#client';
import { exitCodeOf, exitCodes } from '../errors/exit-code.js';
import { messageOf } from '../errors/message-of.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';
import { columnsOfEvent, eventColumns } from './events.js';

/** Events of one request. */
const pageSize = 100;
const retryMs = 2_000;

export const receive: Command = {
  name: 'receive',
  summary: 'Receives events of a subscription, and shows them with their tokens, or acknowledges them.',
  positionals: [{ name: 'NAME', about: 'subscription', completes: 'subscriptions' }],
  options: {
    max: { value: 'N', least: 1, about: `end after this number of events; default: ${pageSize}` },
    wait: { value: 'SPAN', about: 'how long to wait for the first event, up to 60s; default: 20s' },
    ack: { about: 'acknowledge the events after they are shown, and show no tokens' },
    follow: { about: 'continue until Ctrl-C, or until --max events' },
  },
  details:
    'With --ack an event may be shown again after a crash, and none is missed. Without it, the events are handed out again when `ack_within` of the subscription has passed, which uses up an attempt. On a terminal, -o ndjson shows the tokens.',
  effect: 'writes',
  endsWithOutput: true,
  async run(session, input) {
    const follow = input.flag('follow');
    const options = {
      ...{ follow, wait: input.text('wait') ?? '20s' },
      most: input.whole('max') ?? (follow ? Infinity : pageSize),
    };
    const subscription = (await session.client()).subscription(input.word('NAME'));
    const batches = receivedBatches(session, subscription, options);
    if (!input.flag('ack'))
      return session.output.list(unacknowledged(batches), receivedColumns, { live: true });
    const events = acknowledged(session, subscription, { batches, follow });
    await session.output.list(events, eventColumns, { live: true });
  },
};

const receivedColumns = [
  { name: 'token', csvOnly: true as const },
  { name: 'attempt' },
  ...columnsOfEvent<ReceivedEvent>(({ event }) => event),
];

interface ReceiveOptions {
  most: number;
  wait: string;
  /** Whether to continue after an answer without events, and after transient failures. */
  follow: boolean;
}

/** Yields the events of each request. Without `follow`, only the first request waits. */
async function* receivedBatches(
  session: CommandSession,
  subscription: SubscriptionConsumer,
  { most, wait, follow }: ReceiveOptions,
): AsyncGenerator<ReceivedEvent[]> {
  const { signal } = session;
  let left = most;
  while (left > 0) {
    const input = { max: Math.min(left, pageSize), wait: follow || left === most ? wait : '0s' };
    const receiving = subscription.receive(input, { signal });
    const events = await (follow ? receiving.catch((error) => pause(session, error)) : receiving);
    left -= events.length;
    if (events.length > 0) yield events;
    else if (!follow) return;
  }
}

/** Reports a transient failure, and waits until the next attempt. @throws any other error */
async function pause(session: CommandSession, error: unknown): Promise<never[]> {
  session.signal.throwIfAborted();
  if (exitCodeOf(error) !== exitCodes.unreachable) throw error;
  session.report(`${messageOf(error)}\nNext attempt in ${(retryMs / 1000).toFixed(1)} s.`);
  await sleep(retryMs, undefined, { signal: session.signal });
  return [];
}

async function* unacknowledged(batches: AsyncIterable<ReceivedEvent[]>): AsyncGenerator<ReceivedEvent> {
  for await (const batch of batches) yield* batch;
}

/** Yields the events of each batch, and acknowledges them after they were written. */
async function* acknowledged(
  session: CommandSession,
  subscription: SubscriptionConsumer,
  { batches, follow }: { batches: AsyncIterable<ReceivedEvent[]>; follow: boolean },
): AsyncGenerator<ReceivedEvent['event']> {
  const { signal } = session;
  for await (const batch of batches) {
    for (const { event } of batch) yield event;
    // A closed output is reported within an iteration of the event loop, and its last write did not arrive.
    await nextIteration();
    signal.throwIfAborted();
    const tokens = batch.map(({ token }) => token);
    const answer = subscription.ack(tokens, { signal });
    const results = await (follow ? answer.catch((error) => pause(session, error)) : answer);
    const late = tokens.filter((_, i) => results[i] !== 'done').length;
    if (late > 0) session.report(`${late} events were not acknowledged in time. They are handed out again.`);
  }
}
