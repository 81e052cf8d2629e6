import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '#api';
import type { SubscriptionDefinition, SubscriptionSpec } from '#features/subscriptions/definition';
import {
  NewGenerationOrJobFactory,
  sameSpec,
  sourcePointers,
  StreamReadAuthorizer,
  type DefinitionChange,
  type DefinitionChangeCaller,
  type DefinitionRequest,
  type DefinitionResource,
} from '#gateway-kit';
import { formatTime } from '#json';
import { subscriptionAnswer } from './subscription-answers.js';
import type { SubscriptionInput } from './subscription-input.js';
import { SubscriptionStatsReader } from './subscription-stats-reader.js';
import { validatedSubscription } from './validated-subscription.js';
import { VisibleSubscriptions } from './visible-subscriptions.js';

const tokenKeyBytes = 32;

/** Subscriptions, as their routes use them. A change that is already in effect does nothing. */
@Injectable()
export class SubscriptionResource implements DefinitionResource<SubscriptionDefinition> {
  readonly answer = subscriptionAnswer;

  constructor(
    readonly visible: VisibleSubscriptions,
    private readonly streams: StreamReadAuthorizer,
    private readonly runs: NewGenerationOrJobFactory,
    private readonly stats: SubscriptionStatsReader,
  ) {}

  /**
   * Creates a subscription, or changes the existing one. A different spec is a new version of the same run.
   * @throws ProblemError subscription_not_found if the caller may not see the existing one, subscription_source_fixed,
   * stream_not_found, payload_too_large, and the errors of `VisibleDefinitions.put`
   */
  async replace(
    name: string,
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<SubscriptionDefinition>> {
    const { from } = input as SubscriptionInput;
    const spec = validatedSubscription(input as SubscriptionInput);
    const streams = sourcePointers(spec);
    await this.streams.requireSources(streams, { access: caller.access, client });
    return this.visible.put(name, caller, async (current) => {
      if (current) return changed(current, from == null ? { ...spec, from: current.spec.from } : spec);
      const run = await this.runs.begin({ streams, from: from ?? 'now' });
      const created_at = formatTime(Date.now() * 1000);
      const token_key = randomBytes(tokenKeyBytes).toString('base64url');
      return { name, version: 1, created_at, paused: false, failure: null, spec, run, token_key };
    });
  }

  /**
   * Deletes a subscription with its position.
   * @throws ProblemError subscription_not_found, definition_conflict, log_unavailable
   */
  async remove(name: string, caller: DefinitionChangeCaller): Promise<void> {
    await this.visible.remove(name, caller);
  }

  async answersWithStats(definitions: readonly SubscriptionDefinition[]): Promise<object[]> {
    const stats = await this.stats.of(definitions);
    return definitions.map((definition, i) => ({ ...subscriptionAnswer(definition), ...stats[i] }));
  }

  async detail(definition: SubscriptionDefinition): Promise<object> {
    const [stats] = await this.stats.of([definition]);
    return { ...subscriptionAnswer(definition), ...stats };
  }
}

/** Returns the subscription with another spec. @throws ProblemError 409 `subscription_source_fixed` */
function changed(current: SubscriptionDefinition, spec: SubscriptionSpec): SubscriptionDefinition {
  const { name, version } = current;
  if (!sameSpec({ source: current.spec.source }, { source: spec.source }))
    throw fixed(name, '/source', 'reads another source');
  if (current.spec.from !== spec.from) throw fixed(name, '/from', `began from ${current.spec.from}`);
  if (sameSpec(current.spec, spec)) return current;
  return { ...current, version: version + 1, spec: { ...spec, source: current.spec.source }, failure: null };
}

function fixed(name: string, pointer: string, reason: string): ProblemError {
  const detail = `The subscription ${name} ${reason}, which cannot be changed: make a new one.`;
  const errors = [{ pointer, detail: `${reason}, which cannot be changed` }];
  return new ProblemError('subscription_source_fixed', detail, { errors });
}
