import { counter } from '../metrics.js';

export const traceSpansUnsent = counter('tributary_trace_spans_unsent_total', {
  help: 'Spans that the collector did not accept and that were dropped.',
});
