import type { GivenGateway } from './gateway.fixture.js';

/** Returns `METHOD /pattern` of every route of the API. */
export function routesOfQueryPort({ routes }: Pick<GivenGateway, 'routes'>): string[] {
  return routes.query
    .flatMap(({ method, url }) => [method].flat().map((each) => `${each} ${url}`))
    .filter((route) => route.includes(' /api/') && !route.startsWith('HEAD '));
}
