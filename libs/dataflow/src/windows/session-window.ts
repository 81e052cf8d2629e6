import type { Micros } from '#event';
import type { KeyedOperator, KeyedRow, Outcome } from '../flow/flow.js';
import { SessionList, type OpenSession, type SessionsState } from './session-list.js';
import { folded, lateOutcome, type WindowParts } from './window-parts.js';
import { windowResult } from './window-result.js';

/** Characters of JSON of the open sessions of one key: 100 for each, and the state of its fold. */
export const sessionCharacters = 1024 * 1024;

/** What a session takes beside the state of its fold. */
const frame = 100;

/**
 * Sessions: windows of a key that end when no event came for `gap`. Events that are at most `gap` apart are of one
 * session, as in Kafka Streams; an event between two makes them one. The end is the last event and `gap`, as in Flink. An
 * event at that very instant still belongs to it, so a session closes when the watermark is past its end and `lateness`
 * more. An event is late when the session that it would make, or be part of, has closed.
 *
 * With `updates`, what was said of sessions that have become one is not taken back: the result of the one that they are
 * now has the earliest start.
 */
export function sessionWindow(parts: WindowParts, gap: Micros): KeyedOperator<SessionsState> {
  const { fold, lateness, updates } = parts;
  /** From the last event of a session to the first watermark that is past all events that it takes. */
  const wait = gap + lateness + 1;
  const rowOf = (sessions: SessionList): KeyedRow<SessionsState> => ({
    state: sessions.state,
    closesAt: sessions.earliestLast + wait,
  });
  const resultOf = (key: string, { start, last, fold: state, events }: OpenSession) => ({
    key,
    start,
    end: last + gap,
    state,
    events,
  });

  return {
    delay: lateness + 1,

    rowsOf: (key) => [key],

    add(row, _name, { key, flow, watermark }) {
      const { timestamp } = flow.event;
      const before = row ? SessionList.of(row.state) : SessionList.none;
      const isOpen = ({ last }: { last: Micros }) => last + wait > watermark;
      const near = before.between(timestamp - gap, timestamp + gap).filter(isOpen);
      const last = Math.max(timestamp, ...near.map((session) => session.last));
      if (!isOpen({ last })) return { results: [], outcome: lateOutcome(parts, flow) };

      const merged = near.reduce((state, session) => fold.merge(state, session.fold), fold.empty);
      const { state, failed } = folded(parts, merged, flow);
      if (failed) return { results: [], outcome: failed };
      const session: OpenSession = {
        start: Math.min(timestamp, ...near.map(({ start }) => start)),
        last,
        fold: state,
        events: near.reduce((sum, { events }) => sum + events, 1),
        size: frame + JSON.stringify(state).length,
      };
      const sessions = before.with(session, near);
      if (sessions.size > sessionCharacters && sessions.count > 1) {
        const detail =
          `The open sessions of a key have at most ${sessionCharacters} characters of JSON, and this event ` +
          `would make them ${sessions.size}. Replay it when some have closed, or use a shorter gap or lateness.`;
        const failure: Outcome = { kind: 'fail', at: parts.at, pointer: parts.at, detail, flow };
        return { results: [], outcome: failure };
      }
      return {
        row: rowOf(sessions),
        results: updates ? [windowResult(resultOf(key, session), parts, flow.origin)] : [],
      };
    },

    close(row, name, watermark) {
      const { ended, others } = SessionList.of(row.state).split(watermark - wait);
      return {
        row: others.count > 0 ? rowOf(others) : undefined,
        results: updates ? [] : ended.map((session) => windowResult(resultOf(name, session), parts)),
      };
    },
  };
}
