import type { Actor, Definitions } from '#registry';
import type { EventEraser } from '#store';

export interface StreamDeletionParts {
  definitions: Pick<Definitions, 'deleteStream'>;
  eraser: Pick<EventEraser, 'dropStream'>;
}

/**
 * Deletes a stream in steps that can each be repeated: whoever asks again goes on where it was, and the materializer
 * finishes what everybody has left.
 */
export class StreamDeletion {
  constructor(private readonly parts: StreamDeletionParts) {}

  /**
   * The definitions do it in order: the state, the topic, the rows, and the definition last. As long as anything is left
   * of the stream, its name cannot be used.
   * @throws ProblemError 404 `stream_not_found`, 403 `stream_reserved`, 503
   */
  async run(stream: string, actor: Actor): Promise<void> {
    const { definitions, eraser } = this.parts;
    await definitions.deleteStream(stream, (_id, before) => eraser.dropStream({ stream, before }), actor);
  }
}
