import { EmmettError } from '@event-driven-io/emmett';
import type { StoredEvent, Tributary, VersionedState } from '@tributary/client';

const pageSize = 1000;

/** Reads emmett's streams, each of which is an entity of one stream of Tributary. */
export class StreamReader {
  constructor(
    private readonly client: Tributary,
    private readonly stream: string,
  ) {}

  /** Returns the version of an emmett stream: the number of its events. */
  async version(streamName: string): Promise<VersionedState<undefined>> {
    const query = { stream: this.stream, entity_id: streamName, wait_for: this.ownWrites() };
    try {
      const { version } = await this.client.state(query);
      return { version, state: undefined };
    } catch (error) {
      if (hasCode(error, 'entity_not_found') || hasCode(error, 'stream_not_found'))
        return { version: 0, state: undefined };
      throw error;
    }
  }

  /** Returns all events in the order of their versions. @throws EmmettError if some of them do not exist any more */
  async events(streamName: string): Promise<StoredEvent[]> {
    const query = { stream: this.stream, entity_id: streamName, limit: pageSize, wait_for: this.ownWrites() };
    const found: StoredEvent[] = [];
    try {
      for await (const event of this.client.events(query)) found.push(event);
    } catch (error) {
      if (!hasCode(error, 'stream_not_found')) throw error;
    }
    // A query returns events in the order of their times.
    found.sort((a, b) => a.version! - b.version!);
    if (found.every(({ version }, i) => version === i + 1)) return found;
    throw new EmmettError(
      `The events of ${streamName} are incomplete. Has their stream of Tributary a retention?`,
    );
  }

  private ownWrites(): string[] {
    return this.client.afterWrites(this.stream);
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code;
}
