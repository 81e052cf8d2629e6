import { EmmettError } from '@event-driven-io/emmett';
import type { Tributary, VersionedState } from '@tributary/client';
import { commitType, type CommitData } from './commit-data.js';

const pageSize = 1000;

/** Reads the commits of emmett's streams, each of which is an entity of one stream of Tributary. */
export class CommitReader {
  constructor(
    private readonly client: Tributary,
    private readonly stream: string,
  ) {}

  /** Returns the last commit, and the number of commits as its version. */
  async last(streamName: string): Promise<VersionedState<CommitData>> {
    const query = { stream: this.stream, entity_id: streamName, wait_for: this.ownWrites() };
    try {
      // The state of an entity is the merged data of its events. Every commit has the same members, so it is the last one.
      return await this.client.state<CommitData>(query);
    } catch (error) {
      if (hasCode(error, 'entity_not_found') || hasCode(error, 'stream_not_found'))
        return { version: 0, state: undefined };
      throw error;
    }
  }

  /** Returns all commits in the order of their versions. */
  async all(streamName: string): Promise<CommitData[]> {
    const query = { stream: this.stream, entity_id: streamName, event_type: commitType, limit: pageSize };
    const found: { version: number; commit: CommitData }[] = [];
    try {
      for await (const event of this.client.events<CommitData>({ ...query, wait_for: this.ownWrites() }))
        found.push({ version: event.version!, commit: event.data });
    } catch (error) {
      if (!hasCode(error, 'stream_not_found')) throw error;
    }
    // A query returns events in the order of their times.
    return complete(found.toSorted((a, b) => a.version - b.version).map(({ commit }) => commit));
  }

  private ownWrites(): string[] {
    return this.client.afterWrites(this.stream);
  }
}

/** @throws EmmettError if a commit is missing: the state of the rest would be wrong */
function complete(commits: CommitData[]): CommitData[] {
  let version = 0;
  for (const { events, stream_version } of commits) {
    version += events.length;
    if (version !== stream_version)
      throw new EmmettError(
        `The events before the version ${stream_version} are incomplete. Has their stream of Tributary a retention?`,
      );
  }
  return commits;
}

export function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code;
}
