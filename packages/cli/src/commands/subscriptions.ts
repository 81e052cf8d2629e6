import type { ParkedEvent } from '#client';
import { instantOption, type Options, type Positional } from '../arguments/options.js';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import type { Column } from '../output/formats.js';
import type { Command } from './command.js';
import { columnsOfEvent } from './events.js';

const namePositional: Positional = { name: 'NAME', about: 'subscription', completes: 'subscriptions' };
const idsPositional: Positional = {
  ...{ name: 'ID', optional: true, many: true },
  about: 'ids of parked events, see `tributary subscriptions parked`',
};
const allOption: Options = { all: { about: 'all parked events of the subscription' } };

const parkedColumns: readonly Column<ParkedEvent>[] = [
  ...[{ name: 'id' }, { name: 'attempts' }, { name: 'blocked' }, { name: 'parked_at' }, { name: 'reason' }],
  ...columnsOfEvent<ParkedEvent>(({ event }) => event),
];

export const subscriptionsParked: Command = {
  name: 'subscriptions parked',
  summary: 'Shows the parked events of a subscription, each with the reason.',
  positionals: [namePositional],
  effect: 'reads',
  async run(session, input) {
    const subscription = (await session.client()).subscription(input.word('NAME'));
    await session.output.list(subscription.parked({}, { signal: session.signal }), parkedColumns);
  },
};

export const subscriptionsReplay: Command = {
  name: 'subscriptions replay',
  summary: 'Hands out parked events of a subscription again: by ids, or all.',
  positionals: [namePositional, idsPositional],
  options: allOption,
  effect: 'writes',
  async run(session, input) {
    const [name, ids] = [input.word('NAME'), selectedIds(input)];
    const subscription = (await session.client()).subscription(name);
    const { events } = await subscription.replay(ids, { signal: session.signal });
    session.report(`replayed ${events} parked events of subscription ${name}`);
  },
};

export const subscriptionsDiscard: Command = {
  name: 'subscriptions discard',
  summary: 'Discards parked events of a subscription: by ids, or all. They remain in their streams.',
  positionals: [namePositional, idsPositional],
  options: allOption,
  effect: 'destroys',
  async run(session, input) {
    const [name, ids] = [input.word('NAME'), selectedIds(input)];
    const which = ids === 'all' ? 'all parked events' : `${ids.length} parked events`;
    const what = `Discards ${which} of the subscription ${name}: they are never handed out again.`;
    await session.requireConfirmed(name, { what });
    const subscription = (await session.client()).subscription(name);
    const { events } = await subscription.discard(ids, { signal: session.signal });
    session.report(`discarded ${events} parked events of subscription ${name}`);
  },
};

/** @throws UsageError unless the command line has either ids or `--all` */
function selectedIds(input: ParsedArguments): readonly string[] | 'all' {
  const ids = input.allWords('ID');
  if (ids.length > 0 === input.flag('all')) throw new UsageError('Name either IDs, or --all.');
  return input.flag('all') ? 'all' : ids;
}

export const subscriptionsSeek: Command = {
  name: 'subscriptions seek',
  summary: 'Moves a subscription to the events that arrived at a time or later.',
  positionals: [namePositional],
  options: { to: instantOption('beginning, now, 2026-01-31T10:00:00Z, or 1h: an hour ago') },
  details: 'What is handed out, waits or is parked is forgotten. Events may be handed out again.',
  effect: 'destroys',
  async run(session, input) {
    const [name, to] = [input.word('NAME'), input.text('to')];
    if (to === undefined) throw new UsageError('--to TIME is missing, such as --to -1h or --to beginning.');
    const what = `Moves the subscription ${name} to ${to}. What is handed out, waits or is parked is forgotten.`;
    await session.requireConfirmed(name, { what });
    await (await session.client()).subscription(name).seek(to, { signal: session.signal });
    session.report(`moved subscription ${name} to ${to}`);
  },
};
