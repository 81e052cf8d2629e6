import { TimeoutError } from '../errors/tributary-error.js';

/** A signal that is aborted with the caller's signal, and with a `TimeoutError` when the time has elapsed. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly caller?: AbortSignal,
  ) {
    if (caller?.aborted) this.follow();
    else caller?.addEventListener('abort', this.follow, { once: true });
    this.start();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Starts the time-out again with its full length. */
  start(): void {
    this.pause();
    if (this.milliseconds < Infinity) this.timer = setTimeout(this.expire, this.milliseconds);
  }

  /** Stops the time-out until the next `start`. */
  pause(): void {
    clearTimeout(this.timer);
  }

  /** Stops the time-out and removes the listener on the caller's signal. */
  release(): void {
    this.pause();
    this.caller?.removeEventListener('abort', this.follow);
  }

  private readonly expire = () =>
    this.controller.abort(new TimeoutError(`No answer came within ${this.milliseconds} ms.`));

  private readonly follow = () => this.controller.abort(this.caller?.reason);
}

/** Settles like the promise, or rejects with the signal's reason, whichever comes first. */
export function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
