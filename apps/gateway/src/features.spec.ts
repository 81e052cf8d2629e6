import { describe, expect, it } from 'vitest';
import { features } from './features.js';
import { givenGateway } from './gateway.fixture.js';

describe.each(features.map(({ name }) => name))('the feature %s', (name) => {
  it('can be removed by its line in the list: the gateway starts without it', async () => {
    const given = await givenGateway({ features: features.filter((feature) => feature.name !== name) });
    try {
      expect((await given.core.instance.inject({ url: '/health/live' })).statusCode).toBe(200);
    } finally {
      await given.close();
    }
  });

  it('brings the settings that its code injects', async () => {
    const given = await givenGateway({ features: features.filter((feature) => feature.name === name) });
    await given.close();
  });
});
