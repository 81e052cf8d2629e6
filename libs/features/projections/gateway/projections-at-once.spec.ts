import { describe, expect, it } from 'vitest';
import { ProjectionGatewayFixture, spec } from './projection-gateway.fixture.js';

const given = new ProjectionGatewayFixture();

describe('concurrent changes of a projection', () => {
  const statuses = async (requests: readonly ReturnType<typeof given.send>[]) =>
    (await Promise.all(requests)).map(({ statusCode }) => statusCode).sort();

  it('create it once', async () => {
    const same = Array.from({ length: 5 }, () => given.define());
    expect(await statuses(same)).toEqual([200, 200, 200, 200, 201]);
    given.name = `${given.name}-other`;
    const others = [1, 2, 3].map((n) => given.define({ key: `event.data.k${n}` }));
    expect(await statuses(others)).toEqual([201, 409, 409]);
  });

  it('lose nothing: each change starts from the result of the previous one', async () => {
    await given.define();
    await given.takenOver();
    const puts = [1, 2, 3, 4].map((n) => given.send('PUT', given.at(), { ...spec, key: `event.data.k${n}` }));
    const pause = given.send('POST', given.at('/pause'));
    expect(await statuses([...puts, pause])).toEqual([200, 200, 200, 200, 200]);
    expect(given.definition).toMatchObject({
      version: 5,
      paused: true,
      serving: { version: 1 },
      building: { version: 5 },
    });
  });

  it('delete it once', async () => {
    await given.define();
    const deletions = [1, 2, 3].map(() => given.send('DELETE', given.at()));
    expect(await statuses(deletions)).toEqual([204, 404, 404]);
  });
});
