import { counter, gauge } from '#telemetry';

export const scrubbedEvents = counter('tributary_scrub_events_total', {
  help: 'Events of the log that the scrub has compared with the store.',
});

export const repairedRows = counter('tributary_scrub_repaired_total', {
  help: 'Events that the store had lost, completely or in some of its tables, and that the scrub has inserted again.',
});

export const unloggedEvents = counter('tributary_scrub_unlogged_total', {
  help: 'Stored events that the scrub did not find in the log at their offsets; each pass counts them again.',
});

export const undecidedEvents = counter('tributary_scrub_undecided_total', {
  help: 'Events that the store may lack and that the scrub did not insert, because they may repeat an event that the log no longer has.',
});

export const scrubErrors = counter('tributary_scrub_errors_total', {
  help: 'Failures of the scrub, which tries again later.',
});

export const lastScrubPass = gauge('tributary_scrub_last_pass_timestamp_seconds', {
  help: 'Time at which the scrub of this process last completed a pass over a partition, in seconds since 1970; 0 before the first.',
});
