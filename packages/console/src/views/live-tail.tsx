import { useRef, useState } from 'preact/hooks';
import type { EventFilter, StoredEvent } from '#client';
import { useLive } from '../app/resource.js';
import { client } from '../app/session.js';
import { grouped } from '../logic/format.js';
import { reconnectNotice } from '../logic/reconnect-notice.js';
import { TailBuffer } from '../logic/tail-buffer.js';
import { EventTable } from '../parts/event-table.js';
import { Button } from '../parts/form.js';
import { Empty, Problem } from '../parts/states.js';

const mostShown = 200;

const nothing = { events: [] as readonly StoredEvent[], received: 0, skipped: 0, pending: 0 };

/** Events as they arrive. Pausing keeps reading: what the table cannot hold is counted. */
export function LiveTail({ filter }: { filter: EventFilter }) {
  const [painted, setPainted] = useState(nothing);
  const [reconnecting, setReconnecting] = useState(false);
  const [paused, setPaused] = useState(false);
  const isPaused = useRef(false);
  isPaused.current = paused;
  const error = useLive((signal) => {
    const buffer = new TailBuffer<StoredEvent>(mostShown);
    let changed = false;
    const onReconnect = reconnectNotice(signal, setReconnecting);
    const read = async () => {
      for await (const event of client.value.tail(filter, { signal, onReconnect })) {
        buffer.add(event);
        changed = true;
      }
    };
    const paint = () => {
      if (!changed && (isPaused.current || buffer.pending === 0)) return;
      if (changed) setReconnecting(false);
      changed = false;
      const { received, skipped, pending } = buffer;
      setPainted((before) =>
        isPaused.current
          ? { ...before, received, skipped, pending }
          : { events: buffer.paint(), received, skipped, pending: 0 },
      );
    };
    return { reading: read(), paint };
  }, []);
  return (
    <section aria-label="Live tail">
      <div class="live-head">
        <span
          class={`live-dot ${error !== undefined ? 'bad' : paused || reconnecting ? 'warn' : 'good'}`}
          aria-hidden="true"
        />
        <span role="status">
          {error !== undefined ? 'Stopped' : reconnecting ? 'Reconnecting' : paused ? 'Paused' : 'Live'}
        </span>
        <span class="muted small digits">
          {grouped(painted.received)} arrived
          {painted.skipped > 0 && `, ${grouped(painted.skipped)} not shown`}
          {paused && painted.pending > 0 && `, ${grouped(painted.pending)} waiting`}
        </span>
        <Button aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? 'Continue' : 'Pause'}
        </Button>
      </div>
      <Problem error={error} />
      {painted.events.length === 0 ? (
        error === undefined && (
          <Empty title="Waiting for events.">New events appear here as they arrive.</Empty>
        )
      ) : (
        <EventTable events={painted.events} label="Live events" />
      )}
    </section>
  );
}
