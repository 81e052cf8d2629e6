/** What a span says of an error: a code as it is, else the error's name; OpenTelemetry's word for anything else. */
export function errorType(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : '_OTHER';
}
