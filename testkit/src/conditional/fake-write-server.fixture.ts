import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObservedEvent } from '../checker.js';
import { elementsOf, membersOf } from '../json-text.js';
import { hashOf } from '../sent-event.js';

interface RequestEvent {
  event_id: string;
  stream: string;
  entity_id: string;
  event_type: string;
  timestamp: string;
  expected_version?: number;
}
type EventDecision = { version: number | undefined; offset: number } | { current: number };

/** Faults by which a server with conditional writes differs from a correct server. */
export interface FakeWriteServerFaults {
  /**
   * Answers request `n` with this status, or closes the connection. The fault `before` comes instead of deciding the
   * request, and the fault `after` comes once the request is decided.
   */
  before: (n: number) => number | 'hang up' | undefined;
  after: (n: number) => number | 'hang up' | undefined;
  /**
   * Milliseconds by which request `n` is decided after its answer was sent; undefined if the request is decided before
   * its answer.
   */
  late: (n: number) => number | undefined;
  /** Accepts event `n` without comparing the versions. */
  blind: (n: number) => boolean;
  /** Refuses event `n` although the expected version is right. */
  moody: (n: number) => boolean;
  /** Treats the repetition of an accepted event as a new event. */
  forgetful: boolean;
  /** Decides each event of an atomic batch by itself. */
  divided: boolean;
}

const none = () => undefined;
const never = () => false;
const noFaults: FakeWriteServerFaults = {
  ...{ before: none, after: none, late: none, blind: never, moody: never, forgetful: false, divided: false },
};

/** An in-memory fake of the write ports that decides conditional events, correctly or with a fault. */
export class FakeWriteServer {
  readonly stored: ObservedEvent[] = [];
  private readonly faults: FakeWriteServerFaults;
  private readonly versions = new Map<string, number>();
  private requests = 0;
  private events = 0;

  private constructor(
    private readonly server: Server,
    faults: Partial<FakeWriteServerFaults>,
  ) {
    this.faults = { ...noFaults, ...faults };
  }

  static async start(faults: Partial<FakeWriteServerFaults> = {}): Promise<FakeWriteServer> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        void register.answer(request.url!, body).then((answer) => {
          if (!answer) return response.destroy();
          response.writeHead(answer.status).end(JSON.stringify(answer.body));
        });
      });
    });
    const register = new FakeWriteServer(server, faults);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return register;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(url: string, body: string): Promise<{ status: number; body: object } | undefined> {
    const n = ++this.requests;
    await sleep(1);
    const instead = this.faults.before(n);
    if (instead !== undefined) return instead === 'hang up' ? undefined : { status: instead, body: {} };
    const isBatch = url.includes('/batch');
    const events = isBatch ? elementsOf(membersOf(body).get('events')!) : [body];
    const isAtomic = url.endsWith('?atomic=true');
    const decideAll = () => (isAtomic ? this.decideGroup(events) : events.map((event) => this.decide(event)));
    const delay = this.faults.late(n);
    if (delay !== undefined) {
      setTimeout(decideAll, delay).unref();
      return { status: 504, body: {} };
    }
    const items = decideAll().map(itemOf);
    const spoiled = this.faults.after(n);
    if (spoiled !== undefined) return spoiled === 'hang up' ? undefined : { status: spoiled, body: {} };
    const [item] = items;
    if (isBatch && !(isAtomic && item!.error)) return { status: 207, body: { events: items } };
    return item!.error ? { status: 412, body: item!.error } : { status: 201, body: item! };
  }

  /** Decides an atomic batch at its first event. */
  private decideGroup(events: readonly string[]): EventDecision[] {
    const { expected_version: expected } = JSON.parse(events[0]!) as RequestEvent;
    const first = this.decide(events[0]!);
    return events.map((event, i) => {
      if (i === 0 || ('current' in first && !this.faults.divided)) return first;
      return this.decide(event, expected! + i);
    });
  }

  /** @param later The version that a later event of an atomic batch expects. */
  private decide(json: string, later?: number): EventDecision {
    const event = JSON.parse(json) as RequestEvent;
    const { event_id, stream, entity_id, expected_version: expected = later } = event;
    const n = ++this.events;
    const earlier = this.stored.find((one) => one.event_id === event_id);
    if (earlier && !this.faults.forgetful)
      return { version: expected === undefined ? undefined : earlier.version!, offset: earlier.offset };
    const name = `${stream}/${entity_id}`;
    const current = this.versions.get(name) ?? 0;
    const right = expected === undefined || expected === current || this.faults.blind(n);
    if (!right || (expected !== undefined && later === undefined && this.faults.moody(n))) return { current };
    this.versions.set(name, current + 1);
    const [data, metadata] = ['data', 'metadata'].map((member) => membersOf(json).get(member)!);
    const hash = hashOf({ ...event, data: data!, metadata: metadata! });
    const offset = this.stored.length;
    this.stored.push({
      ...{ event_id, stream, entity_id, version: current + 1, partition: 0, offset, hash },
    });
    return { version: expected === undefined ? undefined : current + 1, offset };
  }
}

function itemOf(verdict: EventDecision): Record<string, unknown> & { error?: object } {
  if (!('current' in verdict)) return { partition: 0, ...verdict };
  return { error: { code: 'version_conflict', status: 412, current_version: verdict.current } };
}
