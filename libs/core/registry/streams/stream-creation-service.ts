import { auditStream, ProblemError, type StreamInput } from '#api';
import type { StreamId } from '#event';
import type { StreamCreationResult } from './stream-creation-result.js';
import { systemActor, type Actor } from '../resources/resource-store.js';
import { createStream } from './create-stream.js';
import { rejectReservedName } from './reserved-names.js';
import type { StreamOperationDependencies } from './stream-operation-dependencies.js';

/** The most streams that one process may create at a time. */
const maxCreations = 1_000;

/**
 * Creates streams on behalf of requests, and the audit stream on first use. Concurrent requests of this process for the
 * same stream share one creation.
 */
export class StreamCreationService {
  private readonly running = new Map<string, Promise<StreamCreationResult>>();

  constructor(private readonly dependencies: StreamOperationDependencies) {}

  async create(wanted: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    rejectReservedName(wanted.stream);
    const known = this.dependencies.kind.get(wanted.stream);
    if (known?.state === 'live') return { definition: known, created: false };
    return this.once(wanted, actor);
  }

  /**
   * Returns the id of the audit stream, and creates that stream if needed. The audit stream has one partition, so that
   * its events are in the order of the changes.
   */
  async audit(): Promise<StreamId> {
    const known = this.dependencies.kind.get(auditStream);
    if (known?.state === 'live') return known.id;
    return (await this.once({ stream: auditStream, partitions: 1 }, systemActor)).definition.id;
  }

  private async once(wanted: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    const running = this.running.get(wanted.stream);
    if (running) return { ...(await running), created: false };
    if (this.running.size >= maxCreations) {
      const detail = 'Too many streams are being created at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    const creation = createStream(this.dependencies, wanted, actor).finally(() =>
      this.running.delete(wanted.stream),
    );
    this.running.set(wanted.stream, creation);
    return creation;
  }

  /** Resolves when no stream is being created. */
  async over(): Promise<void> {
    await Promise.allSettled([...this.running.values()]);
  }
}
