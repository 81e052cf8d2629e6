import { describe, expect, it } from 'vitest';
import { TopicNames } from '#contracts';
import { MemoryLog } from '#log';
import { describeDefinitionsContract } from './definitions.contract.js';
import { systemActor } from './kind.js';
import { openDefinitions } from './open-definitions.js';

describeDefinitionsContract('MemoryLog', () => new MemoryLog());

describe('definitions while the log is down', () => {
  it('say so when a stream is created', async () => {
    const log = new MemoryLog();
    const definitions = openDefinitions({ log, names: new TopicNames('t.'), defaults: { partitions: 1 } });
    await definitions.start();
    log.down = true;
    await expect(definitions.createStream({ stream: 'a' }, systemActor)).rejects.toMatchObject({
      code: 'log_unavailable',
    });
    log.down = false;
    expect((await definitions.createStream({ stream: 'a' }, systemActor)).created).toBe(true);
    await definitions.close();
  });
});
