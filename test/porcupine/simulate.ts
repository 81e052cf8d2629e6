import {
  SeededRandom,
  type Attempt,
  type AttemptAnswer,
  type AttemptRequest,
  type ObservedEvent,
} from '#testkit';

/** The attempts of a run and the events that were read back, as `readHistory` returns them. */
export interface SimulatedRun {
  attempts: Attempt[];
  stored: ObservedEvent[];
}

interface SimulationSize {
  writers: number;
  entities: number;
  /** Number of events that the writers begin to send; repeats come on top. */
  events: number;
  /** The register takes a repeat of an unconditional event for a new event. */
  forgetful?: boolean;
}

type Decision = { version: number; offset: number } | { current: number };
type Settled = (outcome: AttemptAnswer['outcome'], version: number | undefined) => void;

const shares = { batch: 0.15, unconditional: 0.1, mannered: 0.6, unknown: 0.2, repeat: 0.1, again: 0.5 };
const stream = 'simulated';

/**
 * A run of concurrent writers against registers with compare-and-set, in simulated time. A request takes effect at a moment
 * between its invocation and its answer. If its outcome is unknown, it takes effect at any later time or never.
 */
class Simulation {
  private readonly attempts: Attempt[] = [];
  private readonly stored: ObservedEvent[] = [];
  private readonly agenda: { at: number; act: () => void }[] = [];
  private readonly latest = new Map<string, number>();
  private now = 0;
  private begun = 0;

  constructor(
    private readonly random: SeededRandom,
    private readonly size: SimulationSize,
  ) {}

  run(): SimulatedRun {
    for (let n = 0; n < this.size.writers; n++) this.after(20, () => this.write());
    while (this.agenda.length > 0) {
      const next = this.agenda.reduce((a, b) => (b.at < a.at ? b : a));
      this.agenda.splice(this.agenda.indexOf(next), 1);
      this.now = next.at;
      next.act();
    }
    return { attempts: this.attempts, stored: this.stored };
  }

  /** Acts at a random time within so many milliseconds. */
  private after(within: number, act: () => void): void {
    this.agenda.push({ at: this.now + within * this.random.next(), act });
  }

  private write(): void {
    if (this.begun >= this.size.events) return;
    const entity_id = `entity ${this.random.int(this.size.entities)}`;
    const known = this.latest.get(entity_id) ?? 0;
    const count = this.random.chance(shares.batch) ? 1 + this.random.int(4) : 1;
    for (let i = 0; i < count; i++) {
      const event_id = `e${++this.begun}`;
      const settled: Settled = () => i === count - 1 && this.after(20, () => this.write());
      this.send(
        { event_id, stream, entity_id, expected: this.expectation(known + i), hash: event_id },
        settled,
      );
    }
  }

  private expectation(version: number): number | null {
    if (this.random.chance(shares.unconditional)) return null;
    if (this.random.chance(shares.mannered)) return version;
    return Math.max(0, version - 3 + this.random.int(6));
  }

  /** Sends the event until its outcome is known, at most four times; sometimes once more after that. */
  private send(request: AttemptRequest, settled: Settled, tries = 4): void {
    this.attempt(request, (outcome, version) => {
      if (outcome === 'unknown' && tries > 1) this.after(10, () => this.send(request, settled, tries - 1));
      else if (outcome === 'accepted' && this.random.chance(shares.repeat)) this.send(request, settled, 1);
      else if (outcome === 'refused' && tries > 1 && this.random.chance(shares.again))
        this.send({ ...request, expected: version! }, settled, 1);
      else settled(outcome, version);
    });
  }

  private attempt(request: AttemptRequest, then: Settled): void {
    const invoked = this.now;
    const end = (answer: AttemptAnswer, version?: number) => {
      this.attempts.push({ ...request, ...answer, invoked, returned: this.now });
      then(answer.outcome, version);
    };
    if (this.random.chance(shares.unknown)) {
      if (this.random.chance(0.7)) this.after(this.random.pick([20, 200]), () => this.decide(request));
      this.after(20, () => end({ outcome: 'unknown', reason: '504' }));
      return;
    }
    this.after(20, () => {
      const decision = this.decide(request);
      this.after(10, () => {
        const version = 'current' in decision ? decision.current : decision.version;
        const { entity_id, expected } = request;
        this.latest.set(entity_id, Math.max(version, this.latest.get(entity_id) ?? 0));
        if ('current' in decision) return end({ outcome: 'refused', current: version }, version);
        const answered = expected === null ? null : version;
        end({ outcome: 'accepted', version: answered, partition: 0, offset: decision.offset }, version);
      });
    });
  }

  private decide({ event_id, entity_id, expected, hash }: AttemptRequest): Decision {
    const ofEntity = this.stored.filter((one) => one.entity_id === entity_id);
    const earlier = ofEntity.find((one) => one.event_id === event_id);
    const forgets = this.size.forgetful === true && expected === null;
    if (earlier && !forgets) return { version: earlier.version!, offset: earlier.offset };
    if (expected !== null && expected !== ofEntity.length) return { current: ofEntity.length };
    const [version, offset] = [ofEntity.length + 1, this.stored.length];
    this.stored.push({ event_id, stream, entity_id, version, partition: 0, offset, hash });
    return { version, offset };
  }
}

export function simulate(seed: number, size: SimulationSize): SimulatedRun {
  return new Simulation(new SeededRandom(seed), size).run();
}

/** Returns the lines of the file that `AttemptHistory` would have written of the run. */
export function linesOf({ attempts, stored }: SimulatedRun): string {
  const lines = attempts.flatMap(({ invoked, returned, ...attempt }, number): object[] => {
    const { event_id, stream: of, entity_id, expected, hash, ...answer } = attempt;
    const request = { event_id, stream: of, entity_id, expected, hash };
    return [
      { invoke: number, at: invoked, ...request },
      { return: number, invoked, at: returned, ...answer },
    ];
  });
  return [{ seed: 0 }, ...lines, ...stored.map((one) => ({ stored: one }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
