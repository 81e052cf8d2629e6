import { PartitionRecords, type PartitionAnswer } from '../produce/partition-records.js';

interface ProduceRequest {
  topicData: { topic: string; partitions: { partition: number; messages: unknown }[] }[];
}

interface ProduceAnswer {
  topics: { topicName: string; partitions: PartitionAnswer[] }[];
}

/** The parts of kafkajs/src/broker/index.js that this patch uses. */
export interface ProducingBroker {
  produce: (this: ProducingBroker, request: ProduceRequest) => Promise<ProduceAnswer>;
}

/**
 * Patches a broker so that the response to a repeated Produce request includes the answers to the first one. kafkajs
 * repeats a send as soon as one broker has rejected its part, even to brokers that have not responded yet. The second
 * request to a broker that has not responded yet omits records that the first one contained (see
 * `PartitionRecords.isRenumbered`), and kafkajs evaluates only the second response. The patch adds the first answers
 * for the partitions that the second request omits.
 */
export function patchProduceResponses({ prototype: broker }: { prototype: ProducingBroker }): void {
  const { produce } = broker;
  broker.produce = async function (request) {
    const { topics, ...answer } = await produce.call(this, request);
    return { ...answer, topics: [...topics, ...leftOut(request, topics)] };
  };
}

/** Stores the answers with their records. Returns those of earlier responses for partitions that are omitted. */
function leftOut({ topicData }: ProduceRequest, answered: ProduceAnswer['topics']): ProduceAnswer['topics'] {
  const now = new Map(
    answered.flatMap(({ topicName, partitions }) =>
      partitions.map((answer) => [`${topicName}/${answer.partition}`, answer] as const),
    ),
  );
  return topicData.map(({ topic, partitions }) => ({
    topicName: topic,
    partitions: partitions.flatMap(({ partition, messages }) => {
      if (!(messages instanceof PartitionRecords)) return [];
      const answer = now.get(`${topic}/${partition}`);
      if (answer) messages.answer = answer;
      return answer || !messages.answer ? [] : [messages.answer];
    }),
  }));
}
