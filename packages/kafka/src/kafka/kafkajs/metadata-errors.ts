interface DecodedMetadata {
  topicMetadata: {
    topicErrorCode: number;
    partitionMetadata: { partitionErrorCode: number }[];
  }[];
}

/** The `parse` function with which kafkajs turns errors in a decoded metadata response into exceptions. */
export interface MetadataResponseParser {
  parse: (data: DecodedMetadata) => Promise<DecodedMetadata>;
}

const unknownTopicOrPartition = 3;
const leaderNotAvailable = 5;
const replicaNotAvailable = 9;

/**
 * Patches metadata responses so that one topic cannot fail them. kafkajs fails the whole response if one topic is
 * missing or has no leader yet, so a deleted topic blocks a client for all topics. The patch omits missing topics and
 * topics without a leader, and keeps partitions without a leader. Later versions of the response reuse this `parse`.
 */
export function patchMetadataErrors(response: MetadataResponseParser): void {
  const original = response.parse;
  response.parse = async (data) => {
    const topicMetadata = data.topicMetadata
      .filter(({ topicErrorCode: code }) => code !== unknownTopicOrPartition && code !== leaderNotAvailable)
      .map((topic) => ({ ...topic, partitionMetadata: topic.partitionMetadata.map(withoutTransientError) }));
    return original({ ...data, topicMetadata });
  };
}

function withoutTransientError<T extends { partitionErrorCode: number }>(partition: T): T {
  const code = partition.partitionErrorCode;
  const transient = code === leaderNotAvailable || code === replicaNotAvailable;
  return transient ? { ...partition, partitionErrorCode: 0 } : partition;
}
