import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { derivedSignals } from '#testkit';
import {
  WebhookDeliverer,
  type DeliveryAttempt,
  type PendingWebhookDelivery,
  type WebhookDelivererDependencies,
} from './delivery.js';
import { WebhookAddressPolicy } from './webhook-address-policy.js';
import { WebhookClient } from './webhook-client.js';
import { WebhookSecrets } from './secrets.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Hosts of the secret `hooks`: those of the receivers that the test has started, and a few others. */
const hosts: string[] = [];
const never = new AbortController().signal;
const closing: (() => void)[] = [];

beforeEach(() => void hosts.splice(0, Infinity, 'example.org', '127.0.0.1', '10.0.0.1'));
afterEach(() => closing.splice(0).forEach((close) => close()));

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** Starts an HTTP server that answers webhook requests with these answers, one after another; the last one repeats. */
async function receiver(
  ...answers: ((response: ServerResponse) => void)[]
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      answers[Math.min(received.length, answers.length) - 1]!(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  hosts.push(`127.0.0.1:${port}`, `localhost:${port}`);
  return { url: `http://127.0.0.1:${port}/hook`, received };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers);
    response.end('something that nobody asked for');
  };

function deliverer(
  more: Partial<WebhookDelivererDependencies> & { allowed?: string[] } = {},
): WebhookDeliverer {
  const poster = new WebhookClient(new WebhookAddressPolicy(more.allowed ?? ['127.0.0.0/8', '::1']), 500);
  closing.push(() => poster.close());
  const secrets = new WebhookSecrets(JSON.stringify({ hooks: { value: secret, hosts } }));
  return new WebhookDeliverer({ poster, secrets, firstDelayMs: 1, longestDelayMs: 4, ...more });
}

const to = (url: string, more: Partial<PendingWebhookDelivery> = {}): PendingWebhookDelivery => ({
  ...{ id: '019aa4e2-7d53-8c1e-9a3e-0d6a1f0b2c11', url, sender: 'orders', job: 'j1', secretRef: 'hooks' },
  body: '{"data":{"n":1}}',
  contentType: 'application/json',
  ...more,
});

describe('delivering a webhook', () => {
  it('posts the signed event', async () => {
    const { url, received } = await receiver(status(204));

    expect(await deliverer().deliver([to(url)], never)).toEqual([undefined]);

    expect(received).toHaveLength(1);
    expect(new Webhook(secret).verify(received[0]!.body, received[0]!.headers)).toEqual({ data: { n: 1 } });
    expect(received[0]!.headers['content-type']).toBe('application/json');
  });

  it('retries after temporary failures, with the same id', async () => {
    const hangUp = (response: ServerResponse): void => void response.destroy();
    const { url, received } = await receiver(status(500), hangUp, status(429), status(200));
    const seen: DeliveryAttempt[] = [];

    const outcomes = await deliverer({ attempted: (attempt) => seen.push(attempt) }).deliver(
      [to(url)],
      never,
    );

    expect(outcomes).toEqual([undefined]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(seen.map(({ outcome }) => outcome)).toEqual(['repeated', 'repeated', 'repeated', 'delivered']);
    expect(seen.map(({ answer }) => answer)).toEqual([
      'The receiver answered 500.',
      expect.any(String),
      'The receiver answered 429.',
      undefined,
    ]);
    expect(seen.every(({ seconds }) => seconds > 0)).toBe(true);
    for (const attempt of seen) expect(attempt).toMatchObject({ sender: 'orders', job: 'j1', url });
  });

  it('gives up after the maximum number of attempts', async () => {
    const { url, received } = await receiver(status(503));

    const [why] = await deliverer({ attempts: 3 }).deliver([to(url)], never);

    expect(why).toBe('The receiver answered 503. All 3 attempts failed.');
    expect(received).toHaveLength(3);
  });

  it.each([400, 401, 404, 410, 301])('gives up immediately after status %d', async (code) => {
    const { url, received } = await receiver(status(code, { location: '/elsewhere' }));

    const [why] = await deliverer().deliver([to(url)], never);

    expect(why).toBe(`The receiver answered ${code}.`);
    expect(received).toHaveLength(1);
  });

  it('does not wait forever for a receiver that never answers', async () => {
    const { url, received } = await receiver(() => undefined);

    const [why] = await deliverer({ attempts: 2 }).deliver([to(url)], never);

    expect(why).toContain('no answer within 500 ms');
    expect(received).toHaveLength(2);
  });

  it('does not delay deliveries because of other receivers', async () => {
    const [slow, good] = [await receiver(() => undefined), await receiver(status(204))];
    const one = deliverer({ attempts: 1, atOnce: 100 });
    const stuck = one.deliver(
      Array.from({ length: 100 }, () => to(slow.url)),
      never,
    );
    await expect.poll(() => slow.received.length, { interval: 5 }).toBeGreaterThanOrEqual(64);

    expect(await one.deliver([to(good.url)], never)).toEqual([undefined]);

    expect((await stuck).every((why) => why?.includes('no answer'))).toBe(true);
  });

  it('does not connect to a private address that a host name resolves to', async () => {
    const { url, received } = await receiver(status(200));
    const named = url.replace('127.0.0.1', 'localhost').replace('http:', 'https:');

    const [why] = await deliverer({ allowed: [] }).deliver([to(named)], never);

    expect(why).toContain('not public');
    expect(received).toHaveLength(0);
  });

  it('sends nothing with an unknown secret, or to a host that is not among those of the secret', async () => {
    const { url, received } = await receiver(status(200));
    const one = deliverer();
    const foreign = await receiver(status(200));

    const outcomes = await one.deliver([to(url, { secretRef: 'others' }), to(foreign.url), to(url)], never);

    const host = new URL(foreign.url).host;
    expect(outcomes).toEqual([
      expect.stringContaining('There is no webhook secret others.'),
      expect.stringContaining(`The webhook secret hooks must not sign requests to ${host}.`),
      undefined,
    ]);
    expect([received.length, foreign.received.length]).toEqual([1, 0]);
  });

  it('signs with both values of a secret that is rotated', async () => {
    const { url, received } = await receiver(status(204));
    const next = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const secrets = new WebhookSecrets(JSON.stringify({ hooks: { value: [next, secret], hosts } }));

    expect(await deliverer({ secrets }).deliver([to(url)], never)).toEqual([undefined]);

    const [{ body, headers }] = received as [Received];
    for (const known of [next, secret]) expect(new Webhook(known).verify(body, headers)).toBeTruthy();
  });

  it('follows no redirect, so that no other host receives what a secret signs', async () => {
    const other = await receiver(status(200));
    const { url } = await receiver(status(307, { location: other.url }));

    expect(await deliverer().deliver([to(url)], never)).toEqual(['The receiver answered 307.']);

    expect(other.received).toEqual([]);
  });

  it.each([
    [{ url: 'http://127.0.0.1/', secretRef: 'hooks' }, undefined],
    [{ url: 'https://example.org/', secretRef: 'hooks' }, undefined],
    [
      { url: 'https://example.org/', secretRef: 'others' },
      /Add {"others":{"value":"whsec_…","hosts":\["example.org"\]}} to WEBHOOK_SECRETS/,
    ],
    [
      { url: 'https://example.com/', secretRef: 'hooks' },
      /add example.com to the hosts of hooks in WEBHOOK_SECRETS/,
    ],
    [{ url: 'https://10.0.0.1/', secretRef: 'hooks' }, /WEBHOOK_ALLOWED_NETWORKS/],
  ])('returns the missing configuration for %j', (to, why) => {
    const missingConfiguration = deliverer().missingConfiguration(to);
    if (why) expect(missingConfiguration).toMatch(why);
    else expect(missingConfiguration).toBeUndefined();
  });

  it('bounds concurrent deliveries, and returns the outcome of each', async () => {
    let [now, most] = [0, 0];
    const slow = (response: ServerResponse): void => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        status(200)(response);
      }, 20);
    };
    const { url } = await receiver(slow);
    const other = await receiver(status(404));
    const deliveries = [...Array.from({ length: 9 }, () => to(url)), to(other.url)];

    const outcomes = await deliverer({ atOnce: 3 }).deliver(deliveries, never);

    expect(most).toBe(3);
    expect(outcomes.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => undefined));
    expect(outcomes[9]).toBe('The receiver answered 404.');
  });

  it('stops when its signal is aborted', async () => {
    const { url } = await receiver(status(500));
    const stop = new AbortController();
    const delivering = deliverer({ firstDelayMs: 60_000, longestDelayMs: 60_000, random: () => 1 }).deliver(
      [to(url)],
      stop.signal,
    );

    setTimeout(() => stop.abort(), 50);

    await expect(delivering).rejects.toThrow(/abort/i);
  });

  it('adds listeners only for concurrent deliveries, without a warning of a leak', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    closing.push(() => process.off('warning', warned));
    const { url, received } = await receiver(...Array.from({ length: 16 }, () => status(503)), status(200));
    const many = Array.from({ length: 20 }, () => to(url));
    const patient = deliverer({ firstDelayMs: 50, longestDelayMs: 50, random: () => 1 });
    const { signal } = new AbortController();
    expect(await patient.deliver(many, signal)).toEqual(many.map(() => undefined));
    expect(received).toHaveLength(36);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.map(({ name }) => name)).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no listeners on a signal that outlives its deliveries', async () => {
    const { url } = await receiver(...Array.from({ length: 8 }, () => status(200)));
    const { signal } = new AbortController();
    for (let i = 0; i < 4; i++) await deliverer().deliver([to(url), to(url)], signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(derivedSignals(signal)).toBe(0);
  });

  it('leaves no listeners on a signal that outlives a request', async () => {
    const { url } = await receiver(status(200));
    const { signal } = new AbortController();
    const poster = new WebhookClient(new WebhookAddressPolicy(['127.0.0.0/8']), 500);
    closing.push(() => poster.close());
    for (let i = 0; i < 4; i++) await poster.post({ url, headers: {}, body: '{}' }, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(derivedSignals(signal)).toBe(0);
  });
});
