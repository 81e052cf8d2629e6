import type { TopicConfigChange } from '../../log.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { errorOfCode, type KafkajsBroker } from '../kafkajs/internals.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';

const apiKey = 44;
const topicResource = 2;
const operations = { set: 0, delete: 1 };

/**
 * Changes individual settings of a topic. kafkajs knows only AlterConfigs, which resets all settings that it does not
 * name:
 *
 *     IncrementalAlterConfigs Request (Version: 0) => [resources] validate_only
 *       resources => resource_type resource_name [configs]
 *         resource_type => INT8, resource_name => STRING
 *         configs => name config_operation value
 *           name => STRING, config_operation => INT8 (0 set, 1 delete), value => NULLABLE_STRING
 *       validate_only => BOOLEAN
 *
 * @throws the error of the Kafka protocol
 */
export async function alterTopicConfig(
  broker: KafkajsBroker,
  topic: string,
  config: TopicConfigChange,
): Promise<void> {
  const buffer = encode(topic, config);
  const request = {
    apiKey,
    apiVersion: 0,
    apiName: 'IncrementalAlterConfigs',
    encode: async () => ({ buffer }),
  };
  await broker.connectionPool.send({ request, response: { decode, parse } });
}

function encode(topic: string, config: TopicConfigChange): Buffer {
  const settings = Object.entries(config);
  const out = new GrowingBuffer(1024);
  out.int32(1);
  out.int8(topicResource);
  out.string(topic);
  out.int32(settings.length);
  for (const [name, value] of settings) {
    out.string(name);
    out.int8(value === null ? operations.delete : operations.set);
    out.string(value);
  }
  out.int8(0);
  return out.filled();
}

/**
 * Decodes the error code of the response:
 *
 *     IncrementalAlterConfigs Response (Version: 0) => throttle_time_ms [responses]
 *       throttle_time_ms => INT32
 *       responses => error_code error_message resource_type resource_name
 *         error_code => INT16, error_message => NULLABLE_STRING, resource_type => INT8, resource_name => STRING
 */
async function decode(payload: Buffer): Promise<number> {
  const reader = new ByteReader(payload);
  reader.skip(4);
  const responses = reader.int32();
  return responses > 0 ? reader.int16() : 0;
}

async function parse(errorCode: number): Promise<number> {
  if (errorCode !== 0) throw errorOfCode(errorCode);
  return errorCode;
}
