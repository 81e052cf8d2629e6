import type { LiveStream, StoredEvent } from '#client';
import { PositionFile } from '../live/position-file.js';
import { messageOf } from '../errors/message-of.js';
import type { Command } from './command.js';
import { eventColumns } from './event-columns.js';
import { filterOf, filterOptions, streamsPositional } from './event-filter.js';

export const tail: Command = {
  name: 'tail',
  summary: 'Shows events as they come, until Ctrl-C.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    limit: { value: 'N', whole: true, about: 'end after so many events' },
    resume: {
      ...{ value: 'FILE', completes: 'file' },
      about: 'go on after the position in this file, and keep the position there',
    },
  },
  details:
    'With --since it shows stored events first. With --resume an event may be shown again after a crash, and none is left out.',
  effect: 'reads',
  async run(session, input) {
    const file = input.text('resume');
    const position = file === undefined ? undefined : new PositionFile(file);
    const from = await position?.read();
    const client = await session.client();
    const stream = client.tail(filterOf(input), {
      ...{ signal: session.signal, from },
      onReconnect: (error, delayMs) =>
        session.report(`${messageOf(error)}\nNext attempt in ${(delayMs / 1000).toFixed(1)} s.`),
    });
    const events = followed(stream, { position, most: input.whole('limit') ?? Infinity });
    await session.output.list(events, eventColumns, { live: true });
  },
};

/** The events. The position moves when the one before was written. */
async function* followed(
  stream: LiveStream<StoredEvent>,
  { position, most }: { position: PositionFile | undefined; most: number },
): AsyncGenerator<StoredEvent> {
  let left = most;
  try {
    for await (const event of stream) {
      const at = stream.position;
      yield event;
      if (at !== undefined) await position?.move(at);
      if (--left === 0) return;
    }
  } finally {
    await position?.save();
  }
}
