import { PartitionRecords, type PartitionAnswer } from '../produce/partition-records.js';

interface ProduceRequest {
  topicData: { topic: string; partitions: { partition: number; messages: unknown }[] }[];
}

interface ProduceAnswer {
  topics: { topicName: string; partitions: PartitionAnswer[] }[];
}

/** The part of kafkajs/src/broker/index.js that is used here. */
export interface ProducingBroker {
  produce: (this: ProducingBroker, request: ProduceRequest) => Promise<ProduceAnswer>;
}

/**
 * kafkajs repeats a send as soon as one broker has refused its part, also to brokers that have not answered yet. Their
 * second request leaves out what the first has written (see `PartitionRecords.isRenumbered`), and the answer to the second
 * takes the place of the answer to the first. Here it says again what the first said of the partitions that were left out.
 */
export function patchProduceAnswers({ prototype: broker }: { prototype: ProducingBroker }): void {
  const { produce } = broker;
  broker.produce = async function (request) {
    const { topics, ...answer } = await produce.call(this, request);
    return { ...answer, topics: [...topics, ...leftOut(request, topics)] };
  };
}

/** Remembers what this answer says; returns what earlier ones said of partitions that it does not name. */
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
