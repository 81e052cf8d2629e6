// Prints the size of a topic at the brokers. A process of its own, because it patches kafkajs, and the baselines must not.
import { openKafkaLog } from '#kafka';

/** Input of the program that looks up how many bytes a topic has on the brokers' disks. */
export interface TopicBytesJob {
  brokers: string[];
  topic: string;
}

const { brokers, topic } = JSON.parse(process.argv[2]!) as TopicBytesJob;
const log = openKafkaLog({ brokers, clientId: 'bench', replicationFactor: 1 });
const bytes = (await log.admin.bytesIn([topic])).get(topic) ?? 0;
await log.close();
process.send!({ bytes });
process.disconnect();
