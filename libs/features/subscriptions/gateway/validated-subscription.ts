import { compileSource, collectErrors, definitionError, duration, type DefinitionProblem } from '#dataflow';
import { subscriptionLimits, type SubscriptionSpec } from '#features/subscriptions/definition';
import { invalidDefinitionProblem } from '#gateway-kit';
import { formatTime } from '#json';
import type { SubscriptionInput } from './subscription-input.js';

/**
 * Validates the definition of a request body, and fills in the defaults.
 * @throws ProblemError 400 that names the position of each error: `invalid_expression` when only expressions are wrong,
 * otherwise `invalid_request`
 */
export function validatedSubscription(input: SubscriptionInput): SubscriptionSpec {
  const { streams, event_types, where } = input.source;
  const { first, factor, most } = input.retry?.backoff ?? {};
  const from = input.from ?? 'now';
  const spec: SubscriptionSpec = {
    source: { streams, ...(event_types && { event_types }), ...(where != null && { where }) },
    from: typeof from === 'number' ? formatTime(from) : from,
    order: input.order ?? 'entity',
    parked_blocks: input.parked_blocks ?? true,
    ack_within: input.ack_within ?? '30s',
    retry: {
      attempts: input.retry?.attempts ?? 8,
      backoff: { first: first ?? '1s', factor: factor ?? 4, most: most ?? '1h' },
    },
    max_outstanding: input.max_outstanding ?? 1_000,
  };
  const errors: DefinitionProblem[] = [];
  collectErrors(errors, () => compileSource(spec.source));
  collectErrors(errors, () => requireStarted(from));
  collectErrors(errors, () => duration(spec.ack_within, '/ack_within', subscriptionLimits.ackWithin));
  collectErrors(errors, () => requireBackoff(spec.retry.backoff));
  if (errors.length > 0) throw invalidDefinitionProblem(errors, { what: 'subscription' });
  return spec;
}

/** Requires that a start is not in the future: events that arrive before it would be handed out. */
function requireStarted(from: NonNullable<SubscriptionInput['from']>): void {
  if (typeof from === 'number' && from > Date.now() * 1000)
    throw definitionError('/from', 'must not be in the future');
}

function requireBackoff({ first, most }: SubscriptionSpec['retry']['backoff']): void {
  const [least, longest] = (['first', 'most'] as const).map((member) =>
    duration({ first, most }[member], `/retry/backoff/${member}`, subscriptionLimits.backoff),
  );
  if (Number(least) > Number(longest))
    throw definitionError('/retry/backoff/first', `must not be longer than most, which is ${most}`);
}
