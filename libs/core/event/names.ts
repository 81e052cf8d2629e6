import { limits } from './limits.js';
import type { StreamId } from './stream-id.js';

/** Matches valid names of streams. A name must not begin with an underscore. */
export const streamNamePattern = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.streamCharacters - 1}}$`);

/** The rule of `streamNamePattern` in words, for the details of a problem document. */
export const streamNameRule =
  `must be 1 to ${limits.streamCharacters} of the characters A-Z a-z 0-9 . _ - and begin with a letter or a digit, ` +
  'such as orders or shop.orders-eu';

/** Matches valid names of projections and pipelines. */
export const definitionNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The rule of `definitionNamePattern` in words, for the details of a problem document. */
export const definitionNameRule =
  'must be 1 to 100 of the characters A-Z a-z 0-9 _ - and begin with a letter or a digit, such as revenue_by_currency';

/**
 * Valid names of webhook secrets. A pipeline definition refers to a secret by its name; the secret itself is in the
 * configuration of the processors. The pattern rejects a webhook secret given instead of its name, because secrets
 * begin with `whsec_`.
 */
export const secretNamePattern = /^(?!whsec_)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The rule of `secretNamePattern` in words, for the details of a problem document. */
export const secretNameRule =
  'must be the name of a secret, not the secret: 1 to 64 of the characters A-Z a-z 0-9 _ -, and begin with a letter or a ' +
  'digit, such as shop';

/** Matches any UUID in its canonical text form (RFC 9562), in either case; UUIDs are stored in lower case. */
export const uuidPattern = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** The rule of `uuidPattern` in words, for the details of a problem document. */
export const uuidRule = 'must be a UUID, such as 019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11';

const jobIdPattern = /^[0-9a-f]{24}$/;
const stageIdPattern = /^[0-9a-f]{16}$/;
/** The internal topic of a pipeline after `<prefix>pipeline.`: the job id, a dot, and a stage id or `replay`. */
const jobTopicPattern = /^([0-9a-f]{24})\.(?:[0-9a-f]{16}|replay)$/;

/** The part of a stream topic's name that follows `<prefix>events.`: the stream's name and ten random characters. */
const streamTopicPattern = /^(.+)\.([0-9a-z]{1,10})$/;

/**
 * Names of the Kafka topics and of the consumer groups of one installation. Installations that share a Kafka cluster
 * use different prefixes. The topic of a stream is `<prefix>events.<stream>.<ten characters>`, derived from its stream
 * id. A prefix has at most 30 characters, because Kafka limits topic names to 249.
 */
export class TopicAndGroupNames {
  constructor(readonly prefix: string) {}

  get definitions(): string {
    return `${this.prefix}definitions`;
  }

  /** Topic with requests to consumer groups to save their pending work early, because a reader waits for it. */
  get flushRequests(): string {
    return `${this.prefix}flush-requests`;
  }

  /** Compacted topic with the verdicts (accepted or rejected) on conditional writes. */
  get verdicts(): string {
    return `${this.prefix}verdicts`;
  }

  /** Topic with what subscriptions hand out, and what workers acknowledge. */
  get subscriptions(): string {
    return `${this.prefix}subscriptions`;
  }

  get materializerGroup(): string {
    return `${this.prefix}materializer`;
  }

  /** Consumer group of the scrub, whose committed offsets are the progress of its pass over the log. */
  get scrubGroup(): string {
    return `${this.prefix}scrub`;
  }

  /** Consumer group of one generation of a projection, which has its own progress and does not delay another one. */
  projectionGroup(generation: string): string {
    return `${this.prefix}projection.${generation}`;
  }

  /** Consumer group of one job of a pipeline, which reads the sources and the internal topics of the job. */
  pipelineGroup(job: string): string {
    if (!jobIdPattern.test(job)) throw new RangeError('a job id has 24 hexadecimal digits');
    return `${this.pipelines}${job}`;
  }

  /** Repartition topic of a keyed stage of a pipeline job. No stream can have a topic of this name. */
  pipelineTopic(job: string, stage: string): string {
    if (!stageIdPattern.test(stage)) throw new RangeError('a stage id has 16 hexadecimal digits');
    return `${this.pipelineGroup(job)}.${stage}`;
  }

  /** Topic of the dead letters that a pipeline job processes again. */
  pipelineReplayTopic(job: string): string {
    return `${this.pipelineGroup(job)}.replay`;
  }

  /** Returns the id of the pipeline job that owns this internal topic; undefined for any other topic. */
  pipelineJobOf(topic: string): string | undefined {
    if (!topic.startsWith(this.pipelines)) return undefined;
    return jobTopicPattern.exec(topic.slice(this.pipelines.length))?.[1];
  }

  private get pipelines(): string {
    return `${this.prefix}pipeline.`;
  }

  get snapshotGroup(): string {
    return `${this.prefix}snapshots`;
  }

  /** Returns the name of the Kafka topic of one incarnation of a stream. */
  ofStream(id: StreamId): string {
    return `${this.prefix}events.${id.replace('#', '.')}`;
  }

  /** Returns the id of the stream to which this Kafka topic belongs; undefined for any other topic. */
  streamOf(topic: string): StreamId | undefined {
    const start = `${this.prefix}events.`;
    if (!topic.startsWith(start)) return undefined;
    const match = streamTopicPattern.exec(topic.slice(start.length));
    return match ? `${match[1]}#${match[2]}` : undefined;
  }
}

/**
 * Returns a key that is equal for stream names which differ only in `.` and `_`. Kafka does not allow topics for both:
 * its metrics treat these characters as equal.
 */
export function topicCollisionKey(stream: string): string {
  return stream.replaceAll('.', '_');
}
