import type { TopicAndGroupNames } from '#event';
import type { GlobalTableReader, Log, ConsumerRecord, Producer } from '#kafka';

/** Asks consumers to store the events of a topic early, because a reader waits for them (`wait_for`). */
export interface FlushRequest {
  group: string;
  topic: string;
  /** Id of what the request asks for, if the group is asked for more than to store events: a UUID. */
  request?: string | undefined;
}

/** A flush request is of no use after a few seconds, so Kafka keeps it for a minute. */
const settings = {
  partitions: 1,
  config: { 'cleanup.policy': 'delete', 'retention.ms': '60000', 'segment.ms': '60000' },
};

/** Age in milliseconds from which on a flush request is ignored: its events were stored within the usual interval. */
const latestMs = 5_000;
/** Age in milliseconds from which on a request with an id is ignored. */
const latestWithIdMs = 600_000;

/** Creates the topic of flush requests if it does not exist. */
export async function createFlushTopic(
  admin: Pick<Log['admin'], 'create'>,
  names: TopicAndGroupNames,
): Promise<void> {
  await admin.create(names.flushRequests, settings);
}

/** Sends flush requests through their topic. A lost request only delays its reader, so callers may ignore errors. */
export async function sendFlushRequest(
  producer: Pick<Producer, 'append'>,
  names: TopicAndGroupNames,
  ...requests: readonly FlushRequest[]
): Promise<void> {
  const records = requests.map(({ group, topic, request }) => ({
    topic: names.flushRequests,
    key: group,
    value: JSON.stringify({ group, topic, request }),
  }));
  await producer.append(records);
}

/** Returns a reader of all flush requests that passes the recent ones to `handle`; one in each consuming process. */
export function followFlushRequests(
  log: Pick<Log, 'tableReader'>,
  names: TopicAndGroupNames,
  handle: (request: FlushRequest) => void,
): GlobalTableReader {
  return log.tableReader(names.flushRequests, {
    record: (record) => {
      const request = requestOf(record);
      const limitMs = request?.request === undefined ? latestMs : latestWithIdMs;
      if (request && Date.now() - record.timestamp < limitMs) handle(request);
    },
  });
}

/** Parses the flush request in a record; undefined for a record of another form. */
function requestOf({ value }: ConsumerRecord): FlushRequest | undefined {
  try {
    const { group, topic, request } = JSON.parse(String(value)) as Partial<FlushRequest>;
    if (typeof group !== 'string' || typeof topic !== 'string') return undefined;
    return { group, topic, ...(typeof request === 'string' && { request }) };
  } catch {
    return undefined;
  }
}
