import type { ServerResponse } from 'node:http';
import { ProblemError } from '#api';
import { whenClosed } from '#http';

/**
 * A signal that is aborted when the client goes away before it has been answered. Its reason is a problem, so that
 * what is thrown with it ends like any refused request, and not as a fault of ours.
 */
export function clientGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new ProblemError('request_timeout', 'The client went away.'));
  whenClosed(response, () => {
    if (!response.writableFinished) abort();
  });
  if (response.destroyed) abort();
  return controller.signal;
}
