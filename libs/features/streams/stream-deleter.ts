import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import type { Actor, Definitions } from '#registry';
import type { EventRemover } from '#store';

/**
 * Deletes a stream in steps that can be repeated. A repeated request continues where the deletion stopped; without one,
 * the materializer completes the deletion.
 */
@Injectable()
export class StreamDeleter {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'deleteStream'>,
    @Inject(STORE) private readonly store: { eraser: Pick<EventRemover, 'dropStream'> },
  ) {}

  /**
   * Deletes the stream in this order: its state changes to `deleting`, then its topic, its rows and at last its
   * definition are removed. Until the definition is removed, no other stream can use the name.
   * @throws ProblemError 404 `stream_not_found`, 403 `stream_reserved`, 503
   */
  async run(stream: string, actor: Actor): Promise<void> {
    await this.definitions.deleteStream(stream, (id) => this.store.eraser.dropStream(id), actor);
  }
}
