import { gauge, histogram } from '../metrics.js';

export const eventLoopLongestStall = gauge('tributary_event_loop_longest_stall_seconds', {
  help: 'Longest time that the event loop was blocked in the last five minutes, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'],
});

export const eventLoopStalls = histogram('tributary_event_loop_stall_seconds', {
  help: 'Seconds of each time that the event loop was blocked for more than 0.2 s, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'],
  buckets: [0.4, 0.8, 1.6, 3.2, 6.4],
});
for (const clock of ['wall', 'cpu']) eventLoopStalls.zero({ clock });
