import { describe, expect, it } from 'vitest';
import { selfTimes } from './self-times.js';

const node = (id: number, functionName: string, url = '') => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
});

describe('the self times of a profile', () => {
  it('add up the samples, without idle time and the profiler’s own, the largest first', () => {
    const profile = {
      nodes: [
        node(1, '(idle)'),
        node(2, 'encode', 'file:///srv/app/dist/packages/kafka/src/a.js'),
        node(3, '', 'node:net'),
        node(4, 'encode', 'file:///srv/app/dist/packages/kafka/src/a.js'),
        node(5, 'dispatch'),
      ],
      samples: [1, 2, 3, 4, 5],
      timeDeltas: [5000, 1000, 1000, 2000, 7000],
    };
    expect(selfTimes(profile)).toEqual([
      { name: 'encode packages/kafka/src/a.js:10', ms: 3, share: 0.75 },
      { name: '(anonymous) node:net:10', ms: 1, share: 0.25 },
    ]);
  });
});
