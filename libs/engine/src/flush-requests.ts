import type { TopicAndGroupNames } from '#event';
import type { GlobalTableReader, Log, LogRecord, Producer } from '#log';

/**
 * Asks the members of a consumer group to store the pending events of a topic early, because a reader waits for them
 * (`wait_for`). Without a request, consumers let events collect for longer, which costs less.
 */
export interface FlushRequest {
  group: string;
  topic: string;
}

/** Requests are of no use after a second: the log keeps them for a minute. */
const settings = {
  partitions: 1,
  config: { 'cleanup.policy': 'delete', 'retention.ms': '60000', 'segment.ms': '60000' },
};

/** Requests that are older were answered by the usual interval. */
const latestMs = 5_000;

/** Creates the topic of the requests if it does not exist. */
export async function createFlushTopic(
  admin: Pick<Log['admin'], 'create'>,
  names: TopicAndGroupNames,
): Promise<void> {
  await admin.create(names.flushRequests, settings);
}

/** Sends a request. A request that is lost only delays its reader, so errors are the caller's to ignore. */
export async function sendFlushRequest(
  producer: Pick<Producer, 'append'>,
  names: TopicAndGroupNames,
  { group, topic }: FlushRequest,
): Promise<void> {
  const value = JSON.stringify({ group, topic });
  await producer.append([{ topic: names.flushRequests, key: group, value }]);
}

/** Follows the requests of all readers. Each process that consumes events follows all of them. */
export function followFlushRequests(
  log: Pick<Log, 'tableReader'>,
  names: TopicAndGroupNames,
  handle: (request: FlushRequest) => void,
): GlobalTableReader {
  return log.tableReader(names.flushRequests, {
    record: (record) => {
      const request = requestOf(record);
      if (request && Date.now() - record.timestamp < latestMs) handle(request);
    },
  });
}

/** Returns the request of a record, or undefined for a record of another form. */
function requestOf({ value }: LogRecord): FlushRequest | undefined {
  try {
    const { group, topic } = JSON.parse(String(value)) as Partial<FlushRequest>;
    return typeof group === 'string' && typeof topic === 'string' ? { group, topic } : undefined;
  } catch {
    return undefined;
  }
}
