import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  WebhookDeliverer,
  WebhookClient,
  WebhookSecrets,
  WebhookAddressPolicy,
  type PendingWebhookDelivery,
} from '#features/webhooks';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const secret = secretOf(7);
const secretsFor = (host: string) =>
  new WebhookSecrets(
    JSON.stringify({ shop: { value: secret, hosts: [host] }, other: { value: secretOf(8), hosts: [host] } }),
  );
const never = new AbortController().signal;

/** Returns the block in this language of docs/webhooks.md. */
function example(language: string): string {
  const text = readFileSync('docs/webhooks.md', 'utf8');
  const [, block] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  return block ?? '';
}

const to = (url: string, more: Partial<PendingWebhookDelivery> = {}): PendingWebhookDelivery => ({
  ...{ id: '6f2a1e0c-58d1-8c3b-9a3e-0d6a1f0b2c11', url, sender: 'p', job: 'j', secretRef: 'shop' },
  ...{ body: '{"data":{"name":"Zoë"}}', contentType: 'application/json', ...more },
});

/** Returns headers and body as a receiver gets them. */
async function posted(more: Partial<PendingWebhookDelivery> = {}, at = Date.now()) {
  let sent: { headers: Readonly<Record<string, string>>; body: string } | undefined;
  const poster = {
    wrongIn: () => undefined,
    post: (post: { headers: Readonly<Record<string, string>>; body: string }) => {
      sent = post;
      return Promise.resolve({ status: 204, retryAfter: undefined });
    },
  };
  await new WebhookDeliverer({ poster, secrets: secretsFor('example.com'), now: () => at }).deliver(
    [to('https://example.com/', more)],
    never,
  );
  return { headers: sent?.headers, body: sent?.body };
}

describe('the receivers in docs/webhooks.md', () => {
  it('in Node accept only signed deliveries', async () => {
    const tells = `server.on('listening', () => console.log(server.address().port));`;
    const env = { PATH: process.env.PATH, SHOP_SECRET: secret, PORT: '0' };
    const script = `${example('js')}\n${tells}`;
    const receiver = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    const poster = new WebhookClient(new WebhookAddressPolicy(['127.0.0.0/8']), 10_000);
    try {
      const url = `http://127.0.0.1:${String((await lines.next()).value)}/hook`;
      const deliverer = new WebhookDeliverer({ poster, secrets: secretsFor(new URL(url).host) });
      expect(await deliverer.deliver([to(url)], never)).toEqual([undefined]);
      expect((await lines.next()).value).toBe(`${to(url).id} { name: 'Zoë' }`);
      const [refused] = await deliverer.deliver([to(url, { secretRef: 'other' })], never);
      expect(refused).toBe('The receiver answered 401.');
    } finally {
      poster.close();
      receiver.kill();
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  it.runIf(hasPython)('in Python accept only signed deliveries', async () => {
    const good = await posted();
    const asked = [
      good,
      { ...good, body: good.body?.replace('Zoë', 'Eve') },
      await posted({ secretRef: 'other' }),
      await posted({}, Date.now() - 600_000),
    ];
    const reads = `import json, sys
for one in json.load(sys.stdin):
    print(verified(${JSON.stringify(secret)}, one["headers"], one["body"].encode()))`;
    const { stdout, stderr } = spawnSync('python3', ['-c', `${example('python')}\n${reads}`], {
      input: JSON.stringify(asked),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(['True', 'False', 'False', 'False']);
  });
});
