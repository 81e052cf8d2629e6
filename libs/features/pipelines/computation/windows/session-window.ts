import type { EpochMicros } from '#json';
import type { KeyedOperator, StateEntry, OperatorOutcome } from '../flow/pipeline.js';
import { SessionList, type OpenSession, type SessionsState } from './session-list.js';
import { addToFold, lateOutcome, windowResult, type CommonWindowSettings } from './common-window-settings.js';

/** Maximum size of all open sessions of a key: the characters of their fold states as JSON, plus 100 each. */
export const sessionCharacters = 1024 * 1024;

/** Number of characters of JSON that each session adds to its fold state. */
const frame = 100;

/**
 * Returns the operator for session windows. A session of a key ends when no event arrives for `gap`. As in Kafka
 * Streams, events at most `gap` apart belong to one session, and an event between two sessions merges them. As in
 * Flink, a session ends `gap` after its last event. An event exactly at the end still belongs to the session, so a
 * session closes when the watermark is past its end plus `lateness`. An event is late if the session that it would
 * create or join has closed.
 *
 * With `updates`, earlier results of sessions that were merged are not retracted: the result of the merged session has
 * the earliest start.
 */
export function sessionWindow(
  settings: CommonWindowSettings,
  gap: EpochMicros,
): KeyedOperator<SessionsState> {
  const { fold, lateness, updates } = settings;
  /** Microseconds from the last event of a session to the watermark that closes it. */
  const wait = gap + lateness + 1;
  const rowOf = (sessions: SessionList): StateEntry<SessionsState> => ({
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

    add(row, _name, arrival) {
      const { key, flow, watermark } = arrival;
      const { timestamp } = flow.event;
      const before = row ? SessionList.of(row.state) : SessionList.none;
      const isOpen = ({ last }: { last: EpochMicros }) => last + wait > watermark;
      const near = before.between(timestamp - gap, timestamp + gap).filter(isOpen);
      const last = Math.max(timestamp, ...near.map((session) => session.last));
      if (!isOpen({ last })) return { results: [], outcome: lateOutcome(settings, flow) };

      const merged = near.reduce((state, session) => fold.merge(state, session.fold), fold.empty);
      const { state, failed } = addToFold(settings, merged, arrival);
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
          `would bring them to ${sessions.size}. Replay it after some have closed, or use a shorter gap or lateness.`;
        const failure: OperatorOutcome = {
          kind: 'fail',
          at: settings.at,
          pointer: settings.at,
          detail,
          flow,
        };
        return { results: [], outcome: failure };
      }
      return {
        row: rowOf(sessions),
        results: updates ? [windowResult(resultOf(key, session), settings, flow.origin)] : [],
      };
    },

    close(row, name, watermark) {
      const { ended, others } = SessionList.of(row.state).split(watermark - wait);
      return {
        row: others.count > 0 ? rowOf(others) : undefined,
        results: updates ? [] : ended.map((session) => windowResult(resultOf(name, session), settings)),
      };
    },
  };
}
