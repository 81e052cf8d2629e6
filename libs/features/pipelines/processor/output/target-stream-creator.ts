import { ProblemError } from '#api';
import type { StreamId } from '#event';
import { systemActor, type Definitions } from '#registry';
import { LogUnavailableError, UnknownTopicError } from '#kafka';

/** Creates missing streams that pipelines write to. */
export class TargetStreamCreator {
  private readonly creating = new Map<string, Promise<string | undefined>>();

  constructor(private readonly definitions: Pick<Definitions, 'stream' | 'createStream'>) {}

  /** Returns the id of the stream. @throws UnknownTopicError when the stream was deleted a moment ago */
  idOf(stream: string): StreamId {
    const definition = this.definitions.stream(stream);
    if (definition) return definition.id;
    throw new UnknownTopicError(stream);
  }

  /**
   * Creates the stream with default settings if the stream does not exist.
   * @returns The reason why nothing can be written to the stream; undefined if events can be written to the stream.
   * @throws LogUnavailableError when the stream cannot be created now
   */
  ensure(stream: string): Promise<string | undefined> {
    const known = this.creating.get(stream);
    if (known) return known;
    const made = this.make(stream).finally(() => this.creating.delete(stream));
    this.creating.set(stream, made);
    return made;
  }

  /** Returns whether the stream exists and is not being deleted. */
  isThere(stream: string): boolean {
    return this.definitions.stream(stream)?.state === 'live';
  }

  private async make(stream: string): Promise<string | undefined> {
    if (this.isThere(stream)) return undefined;
    try {
      await this.definitions.createStream({ stream }, systemActor);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.retryable) throw new LogUnavailableError(error.message, { cause: error });
      return error.message;
    }
  }
}
