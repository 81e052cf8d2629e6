import { encodeFrame } from './request-frame.js';
import { groupMessages } from '../produce/partition-records.js';
import { patchProduceResponses, type ProducingBroker } from './produce-responses.js';
import { produceRequest } from './produce-request.js';
import { patchMetadataErrors, type MetadataResponseParser } from './metadata-errors.js';
import { patchReconnect, type KafkajsConnection } from './reconnect.js';
import { patchTargetTopics, type ProducingCluster } from './target-topics.js';
import { patchRequestQueue, type KafkajsRequestQueue } from './request-queue.js';

type Function_ = (...args: never[]) => unknown;

/** The version of kafkajs whose internals are replaced. */
const patchedVersion = '2.2.4';

/** @throws if the installed version of kafkajs is not the one that the patches were written for */
export function checkVersion(installed: string): void {
  if (installed === patchedVersion) return;
  throw new Error(
    `kafkajs ${installed} is installed, but @tributary/kafka replaces internals of kafkajs ${patchedVersion} that other ` +
      `versions may not have. Install exactly kafkajs ${patchedVersion}, as its package.json demands.`,
  );
}

/**
 * Replaces parts of kafkajs before it is loaded:
 *
 * - the encoding of Produce requests (it creates an Encoder for each record and computes the CRC in JavaScript: 7 µs a
 *   record),
 * - the response to a repeated Produce request, which hides what the first request has written,
 * - the grouping of messages by partition (quadratic in the size of the batch),
 * - the framing of requests (it copies them three times),
 * - the request queue, which polls without a pause (issues 1751, 1768) and keeps hung connections,
 * - reconnects, which fail because of leftovers of the previous connection,
 * - metadata responses, in which one missing topic fails all others,
 * - the metadata of a producer, which loads all topics again for each new one.
 *
 * The patches affect the whole process; `internals.ts` installs them before it loads kafkajs.
 * @throws if another version of kafkajs is installed
 */
export function installPatches(require: NodeJS.Require): void {
  checkVersion((require('kafkajs/package.json') as { version: string }).version);
  replace(require, 'kafkajs/src/protocol/requests/produce/v3/request', produceRequest);
  replace(require, 'kafkajs/src/producer/groupMessagesPerPartition', groupMessages);
  replace(require, 'kafkajs/src/protocol/request', () => encodeFrame);
  patchMetadataErrors(
    require('kafkajs/src/protocol/requests/metadata/v0/response') as MetadataResponseParser,
  );
  patchRequestQueue(require('kafkajs/src/network/requestQueue') as { prototype: KafkajsRequestQueue });
  patchProduceResponses(require('kafkajs/src/broker') as { prototype: ProducingBroker });
  patchTargetTopics(require('kafkajs/src/cluster') as { prototype: ProducingCluster });
  patchReconnect(require('kafkajs/src/network/connection') as { prototype: KafkajsConnection });
}

/** Replaces a CommonJS module that exports one function with the result of `make`, which receives that function. */
function replace(require: NodeJS.Require, path: string, make: (original: never) => Function_): void {
  const original = require(path) as never;
  const module = require.cache[require.resolve(path)];
  if (!module) throw new Error(`${path} cannot be replaced`);
  module.exports = make(original);
}
