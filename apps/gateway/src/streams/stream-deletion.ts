import { Inject, Injectable } from '@nestjs/common';
import type { Actor, Definitions } from '#registry';
import type { EventEraser } from '#store';
import { DEFINITIONS, STORE } from '../adapters/adapters.js';

/**
 * Deletes a stream in steps that can each be repeated: whoever asks again goes on where it was, and the materializer
 * finishes what everybody has left.
 */
@Injectable()
export class StreamDeletion {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'deleteStream'>,
    @Inject(STORE) private readonly store: { eraser: Pick<EventEraser, 'dropStream'> },
  ) {}

  /**
   * The definitions do it in order: the state, the topic, the rows, and the definition last. As long as anything is left
   * of the stream, its name cannot be used.
   * @throws ProblemError 404 `stream_not_found`, 403 `stream_reserved`, 503
   */
  async run(stream: string, actor: Actor): Promise<void> {
    await this.definitions.deleteStream(stream, (id) => this.store.eraser.dropStream(id), actor);
  }
}
