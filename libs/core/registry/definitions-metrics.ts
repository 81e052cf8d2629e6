import { gauge } from '#telemetry';

export const definitionsAgeSeconds = gauge('tributary_definitions_age_seconds', {
  help: 'Seconds since this process last knew its definitions to be current; infinite before the first time.',
});

export const definitionsUnreadable = gauge('tributary_definitions_unreadable', {
  help: 'Records of the definitions topic that this process could not parse, since its start.',
});
