import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A delivery whose signature was right. */
export interface Received {
  id: string;
  event: { event_id: string; event_type: string; data: unknown; metadata: object };
}

/** What a receiver does with a delivery: answer with a status, or not until it is let go. */
export type Answer = number | 'waits';

/** A receiver as somebody outside would write it: it looks at the signature before anything else. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly server: Server;
  private readonly waiting: ServerResponse[] = [];

  private constructor(
    secret: string,
    private answers: readonly Answer[],
  ) {
    const webhook = new Webhook(secret);
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        try {
          const event = webhook.verify(Buffer.concat(chunks).toString(), headers) as Received['event'];
          this.take({ id: String(headers['webhook-id']), event }, response);
        } catch {
          response.writeHead(401).end();
        }
      });
    });
  }

  /** @param answers one after another; the last one from then on */
  static async start(secret: string, answers: readonly Answer[]): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(secret, answers);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Of what was received: several deliveries of one event have one. */
  get ids(): ReadonlySet<string> {
    return new Set(this.received.map(({ id }) => id));
  }

  /** From now on each is taken, what waits among them. */
  letGo(): void {
    this.answers = [204];
    for (const response of this.waiting.splice(0)) response.writeHead(204).end();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(delivery: Received, response: ServerResponse): void {
    const answer = this.answers[Math.min(this.received.length, this.answers.length - 1)] ?? 204;
    this.received.push(delivery);
    if (answer === 'waits') this.waiting.push(response);
    else response.writeHead(answer).end();
  }
}
