import { NotYetMaterializedError, type Tributary } from '#client';

/** Partitions that one request waits for at most. */
const mostAtOnce = 16;

/** Resolves when everything that the client has written can be queried. */
export async function untilQueryable(client: Tributary, signal: AbortSignal): Promise<void> {
  const positions = client.afterWrites();
  for (let i = 0; i < positions.length; i += mostAtOnce)
    await untilStored(client, positions.slice(i, i + mostAtOnce), signal);
}

async function untilStored(client: Tributary, wait_for: string[], signal: AbortSignal): Promise<void> {
  const [stream] = wait_for.map((position) => position.slice(0, position.indexOf(':')));
  for (;;) {
    try {
      await client.events({ stream, limit: 1, wait_for }, { signal }).first();
      return;
    } catch (error) {
      if (!(error instanceof NotYetMaterializedError)) throw error;
    }
  }
}
