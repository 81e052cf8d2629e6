import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';

/** Settings of Kafka consumer groups. */
export class ConsumerSettings {
  /** Milliseconds without a heartbeat after which Kafka assigns the partitions of this process to another process. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
