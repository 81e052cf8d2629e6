import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A webhook delivery with a valid signature that a `WebhookReceiver` got. */
interface ReceivedDelivery {
  id: string;
  event: { event_id: string; event_type: string; data: unknown; metadata: object };
}

/** The reaction of a `WebhookReceiver` to a delivery: answer with a status, or wait until the test calls `letGo`. */
export type WebhookReceiverReaction = number | 'waits';

/** A receiver as a user would write it: it verifies the signature before anything else. */
export class WebhookReceiver {
  readonly received: ReceivedDelivery[] = [];
  /** Number of requests, with or without a valid signature. */
  requests = 0;
  private readonly server: Server;
  private readonly waiting: ServerResponse[] = [];

  private answers: readonly WebhookReceiverReaction[] = [204];

  private constructor(secret: string) {
    const webhook = new Webhook(secret);
    this.server = createServer((request, response) => {
      this.requests++;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        try {
          const event = webhook.verify(
            Buffer.concat(chunks).toString(),
            headers,
          ) as ReceivedDelivery['event'];
          this.take({ id: String(headers['webhook-id']), event }, response);
        } catch {
          response.writeHead(401).end();
        }
      });
    });
  }

  /** Starts a receiver that accepts every delivery, until the test calls `react`. */
  static async start(secret: string): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(secret);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** The ids of the received deliveries; several deliveries of one event have the same id. */
  get ids(): ReadonlySet<string> {
    return new Set(this.received.map(({ id }) => id));
  }

  /** Sets the reactions to all further deliveries: one for each, and the last one for the rest. */
  react(answers: readonly WebhookReceiverReaction[]): void {
    this.answers = answers;
  }

  /** Accepts all further deliveries, and those that wait. */
  letGo(): void {
    this.answers = [204];
    for (const response of this.waiting.splice(0)) response.writeHead(204).end();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(delivery: ReceivedDelivery, response: ServerResponse): void {
    const answer = this.answers[Math.min(this.received.length, this.answers.length - 1)] ?? 204;
    this.received.push(delivery);
    if (answer === 'waits') this.waiting.push(response);
    else response.writeHead(answer).end();
  }
}
