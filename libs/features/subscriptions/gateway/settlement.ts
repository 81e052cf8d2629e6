import { Injectable } from '@nestjs/common';
import { durationMs } from '#api';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import { HandOutTokens } from '../dispatch/hand-out-tokens.js';
import { retryDelay } from '../dispatch/retry-delay.js';
import type { HandOutRef, RefusalOutcome, SettleResult } from '../state/subscription-command.js';
import { SubscriptionService } from './subscription-service.js';

/** A hand-out that a worker refuses. */
export interface RejectedToken {
  token: string;
  /** Milliseconds after which it is handed out again, instead of the delay of the definition. */
  delayMs?: number;
  /** Whether it is parked at once. */
  park: boolean;
  reason: string;
}

/** The tokens of one request, each as the worker sent it. */
export interface SettledTokens {
  ack: readonly string[];
  nack: readonly RejectedToken[];
  extend: readonly string[];
}

/** The result of each token, in the order of the request. */
export type SettleResults = Record<keyof SettledTokens, SettleResult[]>;

/** Limit of tokens in one record of the log, which takes at most a megabyte. */
const tokensOfRecord = 1_000;
/** Each has a reason of up to 1 000 characters. */
const refusalsOfRecord = 150;

/** Acknowledges, refuses and prolongs what was handed out. */
@Injectable()
export class Settlement {
  constructor(private readonly service: SubscriptionService) {}

  /**
   * Resolves with what became of each token, once the log has it: an event whose result is `done` for `ack` is never handed out
   * again.
   * @throws LogUnavailableError: the request can be repeated
   */
  async settle(
    { spec, run, token_key }: SubscriptionDefinition,
    tokens: SettledTokens,
  ): Promise<SettleResults> {
    const { log } = this.service;
    const state = await log.stateOf(run.id);
    const signed = new HandOutTokens(token_key, run.id);
    const read = {
      ack: tokens.ack.map((token) => signed.read(token)),
      nack: tokens.nack.map(({ token }) => signed.read(token)),
      extend: tokens.extend.map((token) => signed.read(token)),
    };
    const refusals = read.nack.map((handOut, i): RefusalOutcome | undefined => {
      if (!handOut) return undefined;
      const { delayMs, park, reason } = tokens.nack[i]!;
      const [source, partition, offset] = handOut;
      const attempt = state.find([source, partition, offset])?.attempt ?? 1;
      const delay = park ? null : retryDelay(spec.retry, attempt);
      return { handOut, delayMs: delay === null ? null : (delayMs ?? delay), reason };
    });
    const lease = durationMs(spec.ack_within);
    const settle = async (part: { ack?: HandOutRef[]; nack?: RefusalOutcome[]; extend?: HandOutRef[] }) => {
      const command = {
        type: 'settle',
        ack: [],
        nack: [],
        extend: [],
        release: [],
        releaseDelay: 0,
        lease,
        ...part,
      } as const;
      return (await log.execute(run.id, command)).settled;
    };
    return {
      ack: await inRecords(read.ack, (ack) => settle({ ack })),
      nack: await inRecords(refusals, (nack) => settle({ nack }), refusalsOfRecord),
      extend: await inRecords(read.extend, (extend) => settle({ extend })),
    };
  }
}

/** Settles what is known in records of bounded size, and returns the results of all in their order. */
async function inRecords<T>(
  all: readonly (T | undefined)[],
  settle: (some: T[]) => Promise<readonly SettleResult[]>,
  most = tokensOfRecord,
): Promise<SettleResult[]> {
  const known = all.filter((one) => one !== undefined);
  const records: T[][] = [];
  for (let at = 0; at < known.length; at += most) records.push(known.slice(at, at + most));
  const results = (await Promise.all(records.map(settle))).flat();
  return all.map((one) => (one === undefined ? 'unknown' : results.shift()!));
}
