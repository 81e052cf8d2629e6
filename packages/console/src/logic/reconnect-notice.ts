/** A connection without another failure after this time counts as open: no event may come for hours. */
const connectMs = 2_000;

/**
 * Returns a callback for failures of a stream, which shows that the stream reconnects, until the new connection counts
 * as open. When the view closes, `signal` is aborted, and nothing is shown any more.
 */
export function reconnectNotice(
  signal: AbortSignal,
  show: (isReconnecting: boolean) => void,
): (error: unknown, delayMs: number) => void {
  let connecting: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(connecting));
  return (_, delayMs) => {
    if (signal.aborted) return;
    show(true);
    clearTimeout(connecting);
    connecting = setTimeout(() => show(false), delayMs + connectMs);
  };
}
