import type { Attempt, ObservedEvent, SeededRandom } from '#testkit';
import { simulate, type SimulatedRun } from './simulate.js';

/** Changes a run in place so that it becomes wrong. Returns false if the run has nothing that can be changed so. */
type Mutation = (run: SimulatedRun, random: SeededRandom) => boolean;
type AcceptedAttempt = Attempt & { outcome: 'accepted' };

/** A fault, and whether a register alone shows it: Porcupine must then find it in each run. */
export interface Mutant {
  name: string;
  isOfRegister: boolean;
  mutate: Mutation;
}

const isAccepted = (attempt: Attempt): attempt is AcceptedAttempt => attempt.outcome === 'accepted';
const isConditional = ({ expected }: Attempt): boolean => expected !== null;
const attemptsOf = ({ attempts }: SimulatedRun, { event_id }: { event_id: string }): Attempt[] =>
  attempts.filter((one) => one.event_id === event_id);
const rowOf = ({ stored }: SimulatedRun, { entity_id }: { entity_id: string | null }): ObservedEvent[] =>
  stored.filter((one) => one.entity_id === entity_id);

/** Chooses one of the list and changes it; false if the list is empty. */
function change<T>(list: readonly T[], random: SeededRandom, by: (one: T) => void): boolean {
  if (list.length === 0) return false;
  by(random.pick(list));
  return true;
}

/** A time at which an entity certainly had this version: it was answered, and nobody had sent the next one. */
interface QuietTime {
  event: ObservedEvent;
  from: number;
  to: number;
}

function quietTimes(run: SimulatedRun): QuietTime[] {
  return run.stored.flatMap((event) => {
    const next = rowOf(run, event).find(({ version }) => version === event.version! + 1);
    const from = Math.min(
      ...attemptsOf(run, event)
        .filter(isAccepted)
        .map(({ returned }) => returned),
    );
    const end = Math.max(...run.attempts.map(({ returned }) => returned)) + 10;
    const to = next ? Math.min(...attemptsOf(run, next).map(({ invoked }) => invoked)) : end;
    return from < to ? [{ event, from, to }] : [];
  });
}

function addRefusal(
  run: SimulatedRun,
  { event, from, to }: QuietTime,
  versions: [number | null, number],
): void {
  const [expected, current] = versions;
  const { stream, entity_id } = event;
  const third = (to - from) / 3;
  run.attempts.push({
    ...{ event_id: 'added', stream, entity_id: entity_id!, expected, hash: 'added' },
    ...{ outcome: 'refused', current, invoked: from + third, returned: to - third },
  });
}

const twoAtOneVersion: Mutation = (run, random) => {
  const answered = run.attempts.filter(isAccepted).filter(isConditional);
  const pairs = answered.flatMap((one) =>
    answered
      .filter((other) => other.entity_id === one.entity_id && other.event_id !== one.event_id)
      .map((other) => [one, other] as const),
  );
  return change(pairs, random, ([one, other]) => (one.version = other.version));
};

const needlessRefusal: Mutation = (run, random) =>
  change(quietTimes(run), random, (time) => {
    const version = time.event.version!;
    addRefusal(run, time, [version, version + random.pick([-1, 0, 1])]);
  });

const staleRefusal: Mutation = (run, random) =>
  change(quietTimes(run), random, (time) => {
    const version = time.event.version!;
    addRefusal(run, time, [version + 5, version + random.pick([-1, 1])]);
  });

const lostWrite: Mutation = (run, random) => {
  const answered = new Set(run.attempts.filter(isAccepted).map(({ event_id }) => event_id));
  const candidates = run.stored.filter(({ event_id }) => answered.has(event_id));
  return change(candidates, random, (lost) => {
    run.stored.splice(run.stored.indexOf(lost), 1);
    for (const one of rowOf(run, lost)) if (one.version! > lost.version!) one.version!--;
  });
};

const overtaken: Mutation = (run, random) => {
  const pairs = run.stored.flatMap((event) => {
    const attempts = attemptsOf(run, event);
    const before = rowOf(run, event).find(({ version }) => version === event.version! - 1);
    if (!before || attempts.length > 1 || !isAccepted(attempts[0]!)) return [];
    return [
      { attempt: attempts[0], before: Math.min(...attemptsOf(run, before).map(({ invoked }) => invoked)) },
    ];
  });
  return change(pairs, random, ({ attempt, before }) => {
    Object.assign(attempt, { invoked: before - 2, returned: before - 1 });
  });
};

const secondEffect: Mutation = (run, random) => {
  const { attempts, stored } = simulate(random.int(1_000_000), { ...mutantSize, forgetful: true });
  Object.assign(run, { attempts, stored });
  const twice = stored.filter(({ event_id }, i) => stored.findIndex((one) => one.event_id === event_id) < i);
  return twice.some((event) => attemptsOf(run, event).some(({ outcome }) => outcome === 'unknown'));
};

const unreasonedAcceptance: Mutation = (run, random) => {
  const single = run.stored.flatMap((event) => {
    const attempts = attemptsOf(run, event);
    return attempts.length === 1 && isConditional(attempts[0]!) ? attempts : [];
  });
  return change(single, random, (attempt) => (attempt.expected! += random.pick([1, 2])));
};

const unconditionalRefusal: Mutation = (run, random) =>
  change(quietTimes(run), random, (time) => addRefusal(run, time, [null, time.event.version!]));

/** An answer names the version that only a later request can have made: the earlier one expects another version. */
const answeredBeforeSent: Mutation = (run, random) => {
  const candidates = quietTimes(run).flatMap(({ event, from, to }) => {
    const next = rowOf(run, event).find(({ version }) => version === event.version! + 1);
    const [attempt, ...others] = next ? attemptsOf(run, next) : [];
    if (!attempt || others.length > 0 || !isAccepted(attempt) || attempt.version === null) return [];
    return [{ attempt, from, third: (to - from) / 3 }];
  });
  return change(candidates, random, ({ attempt, from, third }) => {
    const times = { invoked: from + third, returned: from + 2 * third };
    run.attempts.push({ ...attempt, expected: attempt.expected! + 5, ...times });
  });
};

const otherData: Mutation = (run, random) => change(run.stored, random, (event) => (event.hash = 'other'));

const otherPosition: Mutation = (run, random) =>
  change(run.stored, random, (event) => (event.offset += run.stored.length));

/** Changes a time, a version or an outcome at random. The run may remain correct. */
export const scramble: Mutation = (run, random) =>
  change(run.attempts, random, (attempt) => {
    const step = random.pick([-2, -1, 1, 2]);
    const shift = 40 * (random.next() - 0.5);
    const choice = random.int(4);
    if (choice === 0 && attempt.expected !== null) attempt.expected = Math.max(0, attempt.expected + step);
    else if (choice === 1 && isAccepted(attempt) && attempt.version !== null) attempt.version += step;
    else if (choice === 1 && attempt.outcome === 'refused')
      attempt.current = Math.max(0, attempt.current + step);
    else if (choice === 2) Object.assign(attempt, { outcome: 'unknown', reason: '504' });
    else {
      attempt.invoked += shift;
      attempt.returned += shift;
    }
  });

export const mutantSize = { writers: 12, entities: 3, events: 90 };

export const mutants: readonly Mutant[] = [
  { name: 'two events are accepted at one version', isOfRegister: true, mutate: twoAtOneVersion },
  { name: 'a refusal although the expectation held', isOfRegister: true, mutate: needlessRefusal },
  {
    name: 'a refusal that names another version than the current one',
    isOfRegister: true,
    mutate: staleRefusal,
  },
  { name: 'an accepted event is lost', isOfRegister: true, mutate: lostWrite },
  {
    name: 'an accepted event gets a version above that of a later request',
    isOfRegister: true,
    mutate: overtaken,
  },
  { name: 'an attempt with an unknown outcome takes effect twice', isOfRegister: true, mutate: secondEffect },
  {
    name: 'an event is accepted although it expected a later version',
    isOfRegister: true,
    mutate: unreasonedAcceptance,
  },
  { name: 'an event without a condition is refused', isOfRegister: true, mutate: unconditionalRefusal },
  {
    name: 'an answer names a version that only a later request can have made',
    isOfRegister: true,
    mutate: answeredBeforeSent,
  },
  { name: 'a stored event has other data', isOfRegister: false, mutate: otherData },
  { name: 'a stored event has another position', isOfRegister: false, mutate: otherPosition },
];
