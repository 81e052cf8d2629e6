import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import { VisibleDefinitions } from '#gateway-kit';
import type { Definitions } from '#registry';
import './subscription-problems.js';

/** Reads and changes subscriptions, as far as the caller may see every stream that they read. */
@Injectable()
export class VisibleSubscriptions extends VisibleDefinitions<SubscriptionDefinition> {
  constructor(@Inject(DEFINITIONS) { subscriptions }: Pick<Definitions, 'subscriptions'>) {
    super({
      what: 'subscription',
      kind: subscriptions,
      permits: ({ spec }, access) => spec.source.streams.every((stream) => permitsStream(access, stream)),
    });
  }
}
