import { ProblemError } from '#api';
import type { StreamId } from '#event';
import { systemActor, type Definitions } from '#registry';
import { LogUnavailableError, UnknownTopicError } from '#log';

/** Makes sure that the streams are there that pipelines write to. */
export class TargetStreams {
  private readonly creating = new Map<string, Promise<string | undefined>>();

  constructor(private readonly definitions: Pick<Definitions, 'stream' | 'createStream'>) {}

  /** Returns the stream's id. @throws UnknownTopicError when it was deleted just now */
  idOf(stream: string): StreamId {
    const definition = this.definitions.stream(stream);
    if (definition) return definition.id;
    throw new UnknownTopicError(stream);
  }

  /**
   * Creates it when it is missing, with the defaults.
   * @returns why nothing can be written to it; undefined when it can
   * @throws LogUnavailableError
   */
  ensure(stream: string): Promise<string | undefined> {
    const known = this.creating.get(stream);
    if (known) return known;
    const made = this.make(stream).finally(() => this.creating.delete(stream));
    this.creating.set(stream, made);
    return made;
  }

  /** Whether `ensure` has nothing to do. */
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
