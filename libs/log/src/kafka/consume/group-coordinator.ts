import type { ClusterClient } from '../cluster-client.js';
import { isProtocolError } from '../kafka-errors.js';
import type { Broker } from '../kafkajs/internals.js';

const generationOver = ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'];

/** Whether this says that the group has gone on without us or is about to. */
export function isGenerationOver(error: unknown): boolean {
  return isProtocolError(error, ...generationOver);
}

/** Whether the group has thrown this member out: others may run its partitions already. */
export function isThrownOut(error: unknown): boolean {
  return isProtocolError(error, 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID');
}

/** The broker that coordinates a group, over the connections of one client. Looked up again after a failure. */
export class GroupCoordinator {
  private broker: Promise<Broker> | undefined;

  constructor(
    private readonly client: ClusterClient,
    private readonly group: string,
  ) {}

  async ask<T>(request: (coordinator: Broker) => Promise<T>): Promise<T> {
    this.broker ??= this.client.coordinator(this.group);
    const asked = this.broker;
    try {
      const coordinator = await asked;
      if (!coordinator.isConnected()) await coordinator.connect();
      return await request(coordinator);
    } catch (error) {
      // Anything else may mean that another broker coordinates the group now.
      if (!isGenerationOver(error) && this.broker === asked) this.broker = undefined;
      throw error;
    }
  }
}
