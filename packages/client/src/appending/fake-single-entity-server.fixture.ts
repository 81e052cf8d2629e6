import { fakeFetch, problem, type FakeAnswer, type SeenRequest } from '../http/fake-fetch.fixture.js';
import { Tributary } from '../tributary.js';

interface ConditionalEvent {
  event_id: string;
  event_type: string;
  /** Only of the first event of a request. */
  expected_version?: number;
  data: object;
}

/** Replaces the answer to a request, if it returns one. */
type AnswerOverride = (
  request: SeenRequest,
  n: number,
) => FakeAnswer | undefined | Promise<FakeAnswer | undefined>;

/**
 * A server with one entity. The server compares expected versions, knows the ids of accepted events, and counts the
 * requests of each kind. A read shows the state of `visible` events.
 */
export class FakeSingleEntityServer {
  readonly events: ConditionalEvent[] = [];
  readonly fetch = fakeFetch((request) => this.answer(request));
  readonly client = new Tributary({ url: 'http://tributary', fetch: this.fetch });
  /** The number of events that reads show; default: all. */
  visible: number | undefined;
  private written = 0;

  constructor(private readonly interrupt: AnswerOverride = () => undefined) {}

  /** The event types of the entity, in the order of their versions. */
  get types(): string[] {
    return this.events.map(({ event_type }) => event_type);
  }

  get writes(): SeenRequest[] {
    return this.fetch.seen.filter(({ method }) => method === 'POST');
  }

  /** Writes an event of another client. */
  writeElsewhere(event_type: string): void {
    this.events.push({ event_id: `other-${this.events.length}`, event_type, data: { by: 'another' } });
  }

  private async answer(request: SeenRequest): Promise<FakeAnswer> {
    const isRead = request.method === 'GET';
    const interruption = await this.interrupt(request, isRead ? 0 : ++this.written);
    if (interruption) return interruption;
    if (isRead) return this.state();
    return this.decide((JSON.parse(request.text) as { events: ConditionalEvent[] }).events);
  }

  private decide(events: readonly ConditionalEvent[]): FakeAnswer {
    const [first] = events as [ConditionalEvent];
    const known = this.events.findIndex(({ event_id }) => event_id === first.event_id);
    if (known < 0 && first.expected_version !== this.events.length)
      return problem('version_conflict', 412, { current_version: this.events.length });
    const from = known < 0 ? this.events.length : known;
    if (known < 0) this.events.push(...events);
    const written = events.map(({ event_id }, i) => ({
      ...{ event_id, partition: 3, offset: from + i, version: from + i + 1 },
    }));
    return { status: 201, body: { accepted: events.length, rejected: 0, events: written } };
  }

  private state(): FakeAnswer {
    const version = Math.min(this.visible ?? Infinity, this.events.length);
    if (version === 0) return problem('entity_not_found', 404);
    const data = this.events.slice(0, version).map((event) => event.data);
    return { body: { stream: 's', entity_id: 'e', version, state: Object.assign({}, ...data) as object } };
  }
}
