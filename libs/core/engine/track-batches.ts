import type { Log } from '#kafka';
import type { RecentWorkTracker } from '#telemetry';

/** Wraps a log so that each batch is registered in `works` while its consumer processes it. */
export function trackBatches(log: Log, works: RecentWorkTracker): Log {
  return {
    admin: log.admin,
    producer: () => log.producer(),
    tableReader: (topic, handler) => log.tableReader(topic, handler),
    close: () => log.close(),
    consumer: (options) => {
      const { handler, group } = options;
      return log.consumer({
        ...options,
        handler: {
          assigned: (assignment) => handler.assigned(assignment),
          ...(handler.memoryShare && { memoryShare: (partition) => handler.memoryShare!(partition) }),
          revoked: (partition) => handler.revoked(partition),
          batch: async (batch) => {
            const { topic, partition, records } = batch;
            const offset = records[0]?.offset ?? -1;
            const end = works.begin({ group, topic, partition, offset, records: records.length });
            try {
              await handler.batch(batch);
            } finally {
              end();
            }
          },
        },
      });
    },
  };
}
