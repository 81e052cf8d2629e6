import { setTimeout as sleep } from 'node:timers/promises';
import { RequestBatcher } from '#async';
import type { NewTopicSettings } from '../../log.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { isProtocolError, toTopicRejectedError } from '../cluster/kafka-errors.js';

/** A topic to create: its name, the number of its partitions and its Kafka settings. */
export interface NewTopic extends NewTopicSettings {
  topic: string;
}

/** How the creation of one topic ended: whether it was created, and whether its leaders answer already. */
type TopicCreation = { created: boolean; isLed: boolean };
type TopicCreationOutcome = TopicCreation | { error: unknown };

const requestTimeoutMs = 10_000;
/** Limit of topics in one CreateTopics request. */
const topicsAtOnce = 100;
/** Ratio of the pause after a CreateTopics request to its duration, which is about the same for one topic or many. */
const restPerRequest = 4;
/** Longest wait of the next request for the leaders of the last topics, and the pause between two look-ups. */
const ledPatienceMs = 1_000;
const ledPauseMs = 20;
/** Limit of partitions in one CreateTopics request of several topics; Kafka rejects more than 10,000. */
const partitionsAtOnce = 2_000;
/** Settings of every topic that this client creates. The broker stores batches as producers send them. */
const defaultTopicConfig = { 'compression.type': 'producer' };

/**
 * Creates topics. Topics whose creation is requested at about the same time are created with one CreateTopics request,
 * because a broker handles such requests one after the other. Each topic has its own settings and its own outcome.
 *
 * The next request waits until the leaders of these topics answer, so that it contains all topics that are requested
 * meanwhile: the broker creates the partitions of one request after those of the other, and each request has a cost of
 * its own there.
 */
export class TopicCreator {
  private readonly batcher: RequestBatcher<NewTopic, TopicCreationOutcome>;

  constructor(
    private readonly client: ClusterClient,
    private readonly replicationFactor: number,
    /** Returns for each topic whether the leaders of all its partitions answer for them. */
    private readonly areLed: (topics: readonly string[]) => Promise<boolean[]>,
  ) {
    this.batcher = new RequestBatcher({
      most: topicsAtOnce,
      restPerRequest,
      send: (topics) => this.createAll(topics),
    });
  }

  /**
   * Creates the topic with one attempt. `created` is false if the topic already exists, even with other settings.
   * @throws TopicRejectedError if Kafka rejects the name or a setting
   * @throws another error if the topic was not created for another reason; a retry may succeed
   */
  async create(topic: NewTopic): Promise<TopicCreation> {
    const outcome = await this.batcher.ask(topic);
    if ('error' in outcome) throw outcome.error;
    return outcome;
  }

  private async createAll(topics: readonly NewTopic[]): Promise<TopicCreationOutcome[]> {
    const outcomes = new Map<NewTopic, TopicCreationOutcome>();
    for (const group of compatibleGroups(topics)) {
      const errors = await this.request(group).catch((error: unknown) => error);
      const existing = group.filter(({ topic }) => exists(topic, errors)).map(({ topic }) => topic);
      const led = existing.length > 0 ? await this.ledOf(existing) : new Set<string>();
      for (const one of group) outcomes.set(one, outcomeOf(one, errors, led));
    }
    return topics.map((topic) => outcomes.get(topic)!);
  }

  /** Resolves with the topics whose leaders answer, as soon as all do or after `ledPatienceMs`. */
  private async ledOf(topics: readonly string[]): Promise<Set<string>> {
    const until = performance.now() + ledPatienceMs;
    for (;;) {
      const asked = this.areLed(topics).catch(() => []);
      // A broker that hangs must not delay the topics of the next request for longer.
      const led = await Promise.race([asked, sleep(until - performance.now(), [], { ref: false })]);
      if (led.length > 0 && led.every(Boolean)) return new Set(topics);
      if (performance.now() >= until) return new Set(topics.filter((_, index) => led[index]));
      await sleep(ledPauseMs);
    }
  }

  /** Sends one CreateTopics request. Resolves with the error of each topic that was not created, by topic. */
  private async request(topics: readonly NewTopic[]): Promise<Map<string, unknown>> {
    const controller = await this.client.controller();
    const { replicationFactor } = this;
    const request = topics.map(({ topic, partitions, config }) => {
      const all = Object.entries({ ...defaultTopicConfig, ...config });
      const configEntries = all.map(([name, value]) => ({ name, value }));
      return { topic, numPartitions: partitions, replicationFactor, configEntries };
    });
    try {
      await controller.createTopics({ topics: request, timeout: requestTimeoutMs });
      return new Map();
    } catch (error) {
      return errorsByTopic(error);
    }
  }
}

/** Groups topics for CreateTopics requests: equal names, and `a.b` and `a_b`, go into different groups. */
export function compatibleGroups(topics: readonly NewTopic[]): NewTopic[][] {
  const groups: { names: Set<string>; partitions: number; topics: NewTopic[] }[] = [];
  for (const topic of topics) {
    const name = topic.topic.replaceAll('.', '_');
    let group = groups.find(
      ({ names, partitions }) => !names.has(name) && partitions + topic.partitions <= partitionsAtOnce,
    );
    if (!group) groups.push((group = { names: new Set(), partitions: 0, topics: [] }));
    group.names.add(name);
    group.partitions += topic.partitions;
    group.topics.push(topic);
  }
  return groups.map((group) => group.topics);
}

/** Returns the errors by topic of a KafkaJSAggregateError. @throws the error itself if it is another one */
function errorsByTopic(error: unknown): Map<string, unknown> {
  const { errors } = error as { errors?: unknown };
  if (!Array.isArray(errors)) throw error;
  return new Map((errors as { topic: string }[]).map((one) => [one.topic, one]));
}

/** Returns whether the topic exists after a CreateTopics request with these errors. */
function exists(topic: string, errors: unknown): boolean {
  if (!(errors instanceof Map)) return false;
  return !errors.has(topic) || isProtocolError(errors.get(topic), 'TOPIC_ALREADY_EXISTS');
}

function outcomeOf({ topic }: NewTopic, errors: unknown, led: ReadonlySet<string>): TopicCreationOutcome {
  if (!(errors instanceof Map)) return { error: errors };
  if (exists(topic, errors)) return { created: !errors.has(topic), isLed: led.has(topic) };
  const error: unknown = errors.get(topic);
  return { error: toTopicRejectedError(topic, error) ?? error };
}
