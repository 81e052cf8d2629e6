import type { ClusterClient } from '../cluster/cluster-client.js';
import { isProtocolError } from '../cluster/kafka-errors.js';
import type { KafkajsBroker } from '../kafkajs/internals.js';

const generationOver = ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'];

/** Whether a Kafka error says that the consumer group has rebalanced without this member, or is about to rebalance. */
export function isGenerationOver(error: unknown): boolean {
  return isProtocolError(error, ...generationOver);
}

/** Whether the group has fenced this member: other members may already own its partitions. */
export function isFenced(error: unknown): boolean {
  return isProtocolError(error, 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID');
}

/** Sends requests to the coordinator of a group; looks it up again after an error that is not about the generation. */
export class GroupCoordinatorClient {
  private broker: Promise<KafkajsBroker> | undefined;

  constructor(
    private readonly client: ClusterClient,
    private readonly group: string,
  ) {}

  async ask<T>(request: (coordinator: KafkajsBroker) => Promise<T>): Promise<T> {
    this.broker ??= this.client.coordinator(this.group);
    const asked = this.broker;
    try {
      const coordinator = await asked;
      if (!coordinator.isConnected()) await coordinator.connect();
      return await request(coordinator);
    } catch (error) {
      // Any other error may mean that another broker coordinates the group now.
      if (!isGenerationOver(error) && this.broker === asked) this.broker = undefined;
      throw error;
    }
  }
}
