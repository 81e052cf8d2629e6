import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoEvent } from './event.js';

/** Where an event was written. */
export interface Written {
  partition: number;
  offset: number;
}

/** The system said no, or nothing at all, more often than we ask again. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    /** 0 when there was no answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

export interface ClientOptions {
  ingestUrl: string;
  queryUrl: string;
  apiKey: string | undefined;
  /** How often the same request is sent at most. */
  attempts?: number;
}

const longestWaitSeconds = 30;

/** The HTTP API as the demo uses it. What may succeed later is sent again: event ids make that safe. */
export class ApiClient {
  constructor(private readonly options: ClientOptions) {}

  /** Writes all events, in one request. @throws ApiError also when only some were taken. */
  async write(events: readonly DemoEvent[]): Promise<Written[]> {
    const response = await this.request(`${this.options.ingestUrl}/api/v1/events/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...this.authorization() },
      body: events.map((event) => JSON.stringify(event)).join('\n'),
    });
    const answer = (await response.json()) as { accepted: number; events: Written[] };
    if (answer.accepted !== events.length) {
      throw new ApiError(`only ${answer.accepted} of ${events.length} events were accepted`, response.status);
    }
    return answer.events;
  }

  /** Reads from the query port; `path` starts after `/api/v1/`. */
  async read<T>(path: string): Promise<T> {
    const response = await this.request(`${this.options.queryUrl}/api/v1/${path}`, {
      headers: this.authorization(),
    });
    return (await response.json()) as T;
  }

  /** Sends a definition to the query port. */
  async send(method: 'POST' | 'PUT', path: string, body: unknown): Promise<void> {
    await this.request(`${this.options.queryUrl}/api/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...this.authorization() },
      body: JSON.stringify(body),
    });
  }

  private authorization(): Record<string, string> {
    return this.options.apiKey ? { authorization: `Bearer ${this.options.apiKey}` } : {};
  }

  private async request(url: string, init: RequestInit): Promise<Response> {
    const attempts = this.options.attempts ?? 10;
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(url, init).catch((error: unknown) => error as Error);
      if (response instanceof Response && response.ok) return response;
      const problem = await describe(url, response);
      if (attempt >= attempts || !canRepeat(response)) throw problem;
      await sleep(waitSeconds(response, attempt) * 1000);
    }
  }
}

/** Seconds to wait before the next attempt: what the answer asks for, else a quarter second, doubled each time. */
export function waitSeconds(response: Response | Error, attempt: number): number {
  const asked = response instanceof Response ? Number(response.headers.get('retry-after') ?? NaN) : NaN;
  const seconds = Number.isFinite(asked) ? asked : 0.25 * 2 ** (attempt - 1);
  return Math.min(longestWaitSeconds, Math.max(0, seconds));
}

function canRepeat(response: Response | Error): boolean {
  return !(response instanceof Response) || [429, 502, 503].includes(response.status);
}

async function describe(url: string, response: Response | Error): Promise<ApiError> {
  const { origin } = new URL(url);
  if (!(response instanceof Response)) {
    const cause = (response.cause as Error | undefined)?.message ?? response.message;
    return new ApiError(`no answer from ${origin}: ${cause}`, 0);
  }
  const text = (await response.text()).slice(0, 500);
  return new ApiError(`${origin} answered ${response.status}: ${text}`, response.status);
}
