import { formatTime } from '#json';
import type { EventFromKafka } from '#event';
import { operatorOf } from './flow/right-side.js';
import type { OperatorOutcome, PassedOnEvent } from './flow/pipeline.js';

/** What one operator did with one event in a dry run. */
export interface DryRunStep {
  readonly at: string;
  readonly operator: string;
  readonly outcome: 'passed' | 'dropped' | 'emitted' | 'late' | 'failed' | 'forwarded' | 'waiting';
  readonly reason?: string;
  /** The key with which the event was forwarded to a keyed stage. */
  readonly key?: string;
  readonly result?: EventFromKafka;
}

interface DryRunEntry {
  readonly at: string;
  readonly event: EventFromKafka;
}

/** What each operator of a pipeline would do with the given events, and what the pipeline would write. */
export interface DryRunResult {
  readonly events: readonly { readonly event: EventFromKafka; readonly steps: readonly DryRunStep[] }[];
  /** Results of windows that closed in the dry run, with what each later operator did with them. */
  readonly windows: readonly (DryRunEntry & { readonly steps: readonly DryRunStep[] })[];
  /** Events that the pipeline would write, each with its target: a stream, or the URL of a webhook. */
  readonly emitted: readonly (DryRunEntry & { readonly stream?: string; readonly webhook?: string })[];
  /** Events that would be too late for their window: written to `stream`, or a dead letter without it. */
  readonly late: readonly (DryRunEntry & { readonly stream?: string })[];
  /** Events that would become dead letters; `pointer` is the exact part that fails. */
  readonly failed: readonly (DryRunEntry & { readonly pointer: string; readonly error: string })[];
  /** True if the dry run's result reached its limit and is incomplete. */
  readonly truncated: boolean;
}

/**
 * Limits of a dry run: given events, steps of all evaluations together (see `StepBudget`), entries in all lists of the
 * result, and characters of their events.
 */
export const dryRunLimits = {
  events: 100,
  steps: 800_000,
  entries: 10_000,
  characters: 4 * 1024 * 1024,
} as const;

type ResultLists = {
  [Name in Exclude<keyof DryRunResult, 'truncated'>]: DryRunResult[Name][number][];
};

/** Collects the entries of a dry run's result, up to `dryRunLimits`; entries beyond them are left out. */
export class DryRunRecorder {
  readonly #lists: ResultLists = { events: [], windows: [], emitted: [], late: [], failed: [] };
  #entries: number = dryRunLimits.entries;
  #characters: number = dryRunLimits.characters;

  get isFull(): boolean {
    return this.#entries < 0 || this.#characters < 0;
  }

  get result(): DryRunResult {
    return { ...this.#lists, truncated: this.isFull };
  }

  /** Adds a given event. Returns the list of its steps, to which the caller adds. */
  event(event: EventFromKafka): DryRunStep[] {
    const steps: DryRunStep[] = [];
    this.#add(this.#lists.events, { event, steps });
    return steps;
  }

  /** Adds the result of a window that closed. Returns the list of its steps, to which the caller adds. */
  window(at: string, event: EventFromKafka): DryRunStep[] {
    const steps: DryRunStep[] = [];
    this.#add(this.#lists.windows, { at, event, steps });
    return steps;
  }

  step(steps: DryRunStep[], step: Omit<DryRunStep, 'operator'>): void {
    const { at, ...rest } = step;
    this.#add(steps, { at, operator: operatorAt(at), ...rest });
  }

  outcome(outcome: OperatorOutcome | PassedOnEvent, steps: DryRunStep[]): void {
    const { at } = outcome;
    const { event } = outcome.flow;
    switch (outcome.kind) {
      case 'pass':
        return this.step(steps, { at, outcome: 'passed', result: event });
      case 'drop':
        return this.step(steps, { at, outcome: 'dropped', reason: outcome.reason });
      case 'forward':
        return this.step(steps, { at, outcome: 'forwarded', key: outcome.key });
      case 'emit':
        this.#add(this.#lists.emitted, { at, stream: outcome.stream, event });
        return this.step(steps, { at, outcome: 'emitted' });
      case 'webhook':
        this.#add(this.#lists.emitted, { at, webhook: outcome.url, event });
        return this.step(steps, { at, outcome: 'emitted' });
      case 'late': {
        const { stream } = outcome;
        this.#add(this.#lists.late, { at, ...(stream === undefined ? {} : { stream }), event });
        return this.step(steps, { at, outcome: 'late', reason: `It is too late: ${lateReason(at)}.` });
      }
      case 'fail': {
        const { pointer, detail } = outcome;
        this.#add(this.#lists.failed, { at, pointer, error: detail, event });
        return this.step(steps, { at, outcome: 'failed', reason: `${pointer}: ${detail}` });
      }
    }
  }

  #add<T extends { event?: EventFromKafka; result?: EventFromKafka }>(list: T[], item: T): void {
    const event = item.event ?? item.result;
    this.#entries -= 1;
    if (event) this.#characters -= event.data.length + event.metadata.length;
    if (!this.isFull) list.push(item);
  }
}

/** Returns why an event is late at this operator: a window, an `expect` or a `join`. */
export function lateReason(at: string): string {
  const name = operatorAt(operatorOf(at));
  if (name === 'join') return 'nothing can join it any more';
  return name === 'expect' ? 'its time has been decided' : 'its window has closed';
}

const branchPattern = /\/branch\/\d+$/;

/** Returns the operator's name in a pointer: `map` for `/operators/2/map`, `branch` for `/operators/3/branch/1`. */
function operatorAt(at: string): string {
  return branchPattern.test(at) ? 'branch' : operatorOf(at).slice(operatorOf(at).lastIndexOf('/') + 1);
}

/** Returns the result as JSON text. `data` and `metadata` keep their original text; fields of the log are left out. */
export function dryRunText(result: DryRunResult): string {
  const { truncated, ...lists } = result;
  const texts: Record<string, string> = {};
  for (const [name, entries] of Object.entries(lists)) texts[name] = listText(entries, entryTexts);
  return objectText({ ...texts, truncated: String(truncated) });
}

function entryTexts(entry: {
  readonly event: EventFromKafka;
  readonly steps?: readonly DryRunStep[];
}): Record<string, string> {
  const { event, steps, ...rest } = entry;
  const texts = { ...textsOf(rest), event: eventText(event) };
  return steps ? { ...texts, steps: listText(steps, stepTexts) } : texts;
}

function stepTexts({ result, ...step }: DryRunStep): Record<string, string> {
  return result ? { ...textsOf(step), result: eventText(result) } : textsOf(step);
}

function textsOf(members: object): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
}

function eventText({ event_type, entity_id, timestamp, data, metadata }: EventFromKafka): string {
  const time = JSON.stringify(formatTime(timestamp));
  return objectText({ ...textsOf({ event_type, entity_id }), timestamp: time, data, metadata });
}

function listText<T>(items: readonly T[], textsOfItem: (item: T) => Record<string, string>): string {
  return `[${items.map((item) => objectText(textsOfItem(item))).join(',')}]`;
}

function objectText(texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${members.join(',')}}`;
}
