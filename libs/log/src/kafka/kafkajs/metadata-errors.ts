interface DecodedMetadata {
  topicMetadata: {
    topicErrorCode: number;
    partitionMetadata: { partitionErrorCode: number }[];
  }[];
}

export interface MetadataResponse {
  parse: (data: DecodedMetadata) => Promise<DecodedMetadata>;
}

const unknownTopicOrPartition = 3;
const leaderNotAvailable = 5;
const replicaNotAvailable = 9;

/**
 * kafkajs fails a whole metadata answer when one of its topics is missing or has no leader yet; one deleted topic then
 * stops a client for all topics. Such topics are left out instead, and such partitions are kept (without a leader).
 * Later versions of the response take their `parse` from this one.
 */
export function patchMetadataErrors(response: MetadataResponse): void {
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
