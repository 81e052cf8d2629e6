import { createHmac } from 'node:crypto';

const prefix = 'whsec_';
/** Minimum and maximum length of a webhook signing key in bytes, as Standard Webhooks recommends. */
const [leastBytes, mostBytes] = [24, 64];

/** Error text for an invalid Standard Webhooks secret. */
export const webhookSecretRule = `must be ${prefix} and ${leastBytes} to ${mostBytes} bytes in base64, such as ${prefix}$(openssl rand -base64 32)`;

/**
 * Returns the bytes of the signing key in a Standard Webhooks secret (`whsec_` and base64); undefined if the secret is
 * invalid.
 */
export function webhookKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return undefined;
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && key.length >= leastBytes && key.length <= mostBytes ? key : undefined;
}

/**
 * Returns the headers that Standard Webhooks (version 1, symmetric) requires.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @param keys Each of them signs the request: a receiver accepts it if it knows one of them.
 * @param at Time of this attempt, in seconds since 1970.
 */
export function webhookHeaders(
  { id, body, at }: { id: string; body: string; at: number },
  keys: readonly Buffer[],
): Record<string, string> {
  const timestamp = Math.floor(at).toString();
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
