import type { EventOutcomeCollector } from './event-outcome-collector.js';
import type { LazilyParsedEvent } from './lazily-parsed-event.js';

/** Applies one compiled operator of a pipeline to an event, and calls the next operator with each result. */
export type OperatorFunction = (flow: LazilyParsedEvent, context: EventOutcomeCollector) => void;

/** Error: an operator cannot process an event. Has no stack trace, because it can occur for every event. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';

  constructor(
    readonly pointer: string,
    message: string,
  ) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** Wraps `compute`: instead of throwing OperatorError, it adds a fail outcome and returns undefined. */
export function catchOperatorError<T>(
  compute: (flow: LazilyParsedEvent, context: EventOutcomeCollector) => T,
  at: string,
): (flow: LazilyParsedEvent, context: EventOutcomeCollector) => T | undefined {
  return (flow, context) => {
    try {
      return compute(flow, context);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      context.outcomes.push({ kind: 'fail', at, pointer: error.pointer, detail: error.message, flow });
      return undefined;
    }
  };
}
