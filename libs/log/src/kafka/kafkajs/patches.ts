import { encodeFrame } from './request-frame.js';
import { groupMessages } from '../produce/partition-records.js';
import { patchProduceAnswers, type ProducingBroker } from './produce-answers.js';
import { produceRequest } from './produce-request.js';
import { patchMetadataErrors, type MetadataResponse } from './metadata-errors.js';
import { patchReconnect, type Connection } from './reconnect.js';
import { patchRequestQueue, type RequestQueue } from './request-queue.js';

type Function_ = (...args: never[]) => unknown;

/** The version whose internals are replaced. */
const patchedVersion = '2.2.4';

/** @throws when the patches were not made for this version of kafkajs */
export function checkVersion(installed: string): void {
  if (installed === patchedVersion) return;
  throw new Error(
    `kafkajs ${installed} is installed, but libs/log replaces internals of kafkajs ${patchedVersion}, which another version ` +
      `need not have. Install exactly kafkajs ${patchedVersion}, as package-lock.json does (npm ci).`,
  );
}

/**
 * Replaces parts of kafkajs, before it is loaded:
 *
 * - the encoding of Produce requests (an Encoder object per record, CRC in JavaScript: 7 µs a record),
 * - the answer to a repeated Produce request, which hides what the first one has written,
 * - the grouping of messages by partition (quadratic in the batch),
 * - the framing of requests (three copies),
 * - the polling of the request queue, which spins (issues 1751, 1768), and hung connections, which it keeps,
 * - connections that are made again, which what is left of the ones before disturbs,
 * - one missing topic in a metadata answer, which fails all others.
 *
 * It takes effect in the whole process; `internals.ts` runs it before it loads kafkajs.
 * @throws when another version of kafkajs is installed
 */
export function installPatches(require: NodeJS.Require): void {
  checkVersion((require('kafkajs/package.json') as { version: string }).version);
  replace(require, 'kafkajs/src/protocol/requests/produce/v3/request', produceRequest);
  replace(require, 'kafkajs/src/producer/groupMessagesPerPartition', groupMessages);
  replace(require, 'kafkajs/src/protocol/request', () => encodeFrame);
  patchMetadataErrors(require('kafkajs/src/protocol/requests/metadata/v0/response') as MetadataResponse);
  patchRequestQueue(require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue });
  patchProduceAnswers(require('kafkajs/src/broker') as { prototype: ProducingBroker });
  patchReconnect(require('kafkajs/src/network/connection') as { prototype: Connection });
}

/** Puts what `make` returns for the original in the place of a CommonJS module that exports one function. */
function replace(require: NodeJS.Require, path: string, make: (original: never) => Function_): void {
  const original = require(path) as never;
  const module = require.cache[require.resolve(path)];
  if (!module) throw new Error(`${path} cannot be replaced`);
  module.exports = make(original);
}
