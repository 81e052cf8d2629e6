import { follow } from '../live/follow.js';
import { PositionFile } from '../live/position-file.js';
import { messageOf } from '../errors/message-of.js';
import type { Command } from './command.js';
import { eventColumns, filterOf, filterOptions, streamsPositional } from './event-filter.js';

export const tail: Command = {
  name: 'tail',
  summary: 'Shows events as they arrive, until Ctrl-C.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    limit: { value: 'N', least: 1, about: 'end after this number of events' },
    resume: {
      ...{ value: 'FILE', completes: 'file' },
      about: 'continue after the position in this file, and save the position there',
    },
  },
  details:
    'With --since it shows stored events first. With --resume an event may be shown again after a crash, and none is missed.',
  effect: 'reads',
  async run(session, input) {
    const name = input.text('resume');
    const file = name === undefined ? undefined : new PositionFile(name);
    const from = await file?.read();
    const client = await session.client();
    const onReconnect = (error: unknown, delayMs: number) =>
      session.report(`${messageOf(error)}\nNext attempt in ${(delayMs / 1000).toFixed(1)} s.`);
    const open = (signal: AbortSignal) => client.tail(filterOf(input), { signal, from, onReconnect });
    const most = input.whole('limit') ?? Infinity;
    const events = follow({ open, signal: session.signal, file, most });
    await session.output.list(events, eventColumns, { live: true });
  },
};
