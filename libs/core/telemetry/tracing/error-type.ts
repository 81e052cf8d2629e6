/**
 * Returns the error type for a span: a code as it is, the name of an Error, or `_OTHER` (OpenTelemetry's value for
 * anything else).
 */
export function errorType(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : '_OTHER';
}
