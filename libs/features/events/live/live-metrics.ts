import { counter, gauge } from '#telemetry';

export const liveStreams = gauge('tributary_live_streams', {
  help: 'Open connections for live events and for live changes of projections.',
});

export const liveEvents = counter('tributary_live_events_total', {
  help: 'Events written to live connections; each connection counts.',
});

export const liveChanges = counter('tributary_live_changes_total', {
  help: 'States of projections written to live connections; each connection counts.',
});

export const liveEnded = counter('tributary_live_ended_total', {
  help: 'Live connections that this instance closed, by the problem code that it sent.',
  labelNames: ['code'],
});
