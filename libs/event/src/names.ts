import { limits } from './limits.js';
import type { StreamId } from './stream-id.js';

/** What a stream may be called. Underscores at the start are kept for internal topics. */
export const streamNamePattern = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.streamCharacters - 1}}$`);

/** The same in words, for whoever sent another one. */
export const streamNameRule =
  `must be 1 to ${limits.streamCharacters} of the characters A-Z a-z 0-9 . _ - and begin with a letter or a digit, ` +
  'such as orders or shop.orders-eu';

/** What a projection or a pipeline may be called. */
export const definitionNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The same in words. */
export const definitionNameRule =
  'must be 1 to 100 of the characters A-Z a-z 0-9 _ - and begin with a letter or a digit, such as revenue_by_currency';

/** What a definition calls a secret that only who runs the installation knows. A secret itself is no name. */
export const secretNamePattern = /^(?!whsec_)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The same in words. */
export const secretNameRule =
  'must be the name of a secret, not the secret: 1 to 64 of the characters A-Z a-z 0-9 _ -, and begin with a letter or a ' +
  'digit, such as shop';

/** Any UUID in its canonical text form (RFC 9562); case is folded when it is stored. */
export const uuidPattern = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** The same in words. */
export const uuidRule = 'must be a UUID, such as 019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11';

const runPattern = /^[0-9a-f]{24}$/;
const stagePattern = /^[0-9a-f]{16}$/;
/** What follows `<prefix>pipeline.` in an internal topic's name. */
const ofRunPattern = /^([0-9a-f]{24})\.(?:[0-9a-f]{16}|replay)$/;

/** What follows `<prefix>events.` in the name of a stream's topic. */
const ofStreamPattern = /^(.+)\.([0-9a-z]{1,10})$/;

/**
 * Names of what one installation owns in Kafka. Installations share a cluster by using different prefixes.
 * A stream's topic is `<prefix>events.<stream>.<ten characters>`, made of its id: the prefix is at most 30 characters,
 * because Kafka holds 249.
 */
export class TopicNames {
  constructor(readonly prefix: string) {}

  get definitions(): string {
    return `${this.prefix}definitions`;
  }

  get materializerGroup(): string {
    return `${this.prefix}materializer`;
  }

  /** Each build of a projection has a group of its own: it has progress of its own, and holds up no other. */
  projectionGroup(build: string): string {
    return `${this.prefix}projection.${build}`;
  }

  /** Of one run of a pipeline: it reads the sources and the run's own topics. */
  pipelineGroup(run: string): string {
    return this.ofRun(run);
  }

  /** What goes to a keyed stage of a run, by its key. No stream can have such a topic. */
  pipelineTopic(run: string, stage: string): string {
    if (!stagePattern.test(stage)) throw new RangeError('a stage is 16 hexadecimal digits');
    return `${this.ofRun(run)}.${stage}`;
  }

  /** Dead letters that a run is to process again. */
  pipelineReplayTopic(run: string): string {
    return `${this.ofRun(run)}.replay`;
  }

  /** The run whose internal topic this is, or undefined when it is none of this installation. */
  pipelineRunOf(topic: string): string | undefined {
    if (!topic.startsWith(this.pipelines)) return undefined;
    return ofRunPattern.exec(topic.slice(this.pipelines.length))?.[1];
  }

  private get pipelines(): string {
    return `${this.prefix}pipeline.`;
  }

  private ofRun(run: string): string {
    if (!runPattern.test(run)) throw new RangeError('a run is 24 hexadecimal digits');
    return `${this.pipelines}${run}`;
  }

  get snapshotGroup(): string {
    return `${this.prefix}snapshots`;
  }

  /** The topic of one incarnation of a stream. */
  ofStream(id: StreamId): string {
    return `${this.prefix}events.${id.replace('#', '.')}`;
  }

  /** The id of the stream whose topic this is, or undefined when it is no stream's topic of this installation. */
  streamOf(topic: string): StreamId | undefined {
    const start = `${this.prefix}events.`;
    const [, name, random] = topic.startsWith(start)
      ? (ofStreamPattern.exec(topic.slice(start.length)) ?? [])
      : [];
    return name === undefined ? undefined : `${name}#${random}`;
  }
}

/** Kafka's metrics take `.` and `_` for the same, so two topics that differ only there cannot stand side by side. */
export function collisionKey(stream: string): string {
  return stream.replaceAll('.', '_');
}
