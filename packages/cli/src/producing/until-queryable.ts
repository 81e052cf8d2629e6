import { NotYetMaterializedError, TimeoutError, type Tributary } from '#client';

/** The maximum number of partitions that one request waits for. */
const mostAtOnce = 16;

/** Milliseconds without progress of any partition after which the wait fails. */
const patienceMs = 60_000;

/** The signal that ends the wait, and the clock (for specs). */
interface WaitOptions {
  signal: AbortSignal;
  now?: () => number;
}

/** Resolves when all events that the client has written can be queried. @throws TimeoutError without progress */
export async function untilQueryable(
  client: Pick<Tributary, 'afterWrites' | 'events'>,
  options: WaitOptions,
): Promise<void> {
  const positions = client.afterWrites();
  for (let i = 0; i < positions.length; i += mostAtOnce)
    await untilStored(client, positions.slice(i, i + mostAtOnce), options);
}

async function untilStored(
  client: Pick<Tributary, 'events'>,
  wait_for: string[],
  { signal, now = () => performance.now() }: WaitOptions,
): Promise<void> {
  const [stream] = wait_for.map((position) => position.slice(0, position.indexOf(':')));
  const until = now() + patienceMs;
  for (;;) {
    try {
      await client.events({ stream, limit: 1, wait_for }, { signal }).first();
      return;
    } catch (error) {
      if (!(error instanceof NotYetMaterializedError)) throw error;
      if (now() < until) continue;
      throw new TimeoutError(
        `The events are written, but not all of them could be queried: ${patienceMs / 1000} s without progress. \`tributary lag\` shows the lag of queries.`,
        { cause: error },
      );
    }
  }
}
