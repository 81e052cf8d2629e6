import { expect, it } from 'vitest';
import { metricsIn } from './promql.js';

it.each([
  ['up == 0', ['up']],
  [
    'sum by (namespace, job) (rate(a_total{code="x y"}[5m])) / on (job) b:c:rate5m > 0.5',
    ['a_total', 'b:c:rate5m'],
  ],
  ['histogram_quantile(0.99, sum by (le) (rate(d_bucket[$__rate_interval]))) or vector(0)', ['d_bucket']],
  ['time() - (a > 0 or on (instance) b) and a  # c', ['a', 'b']],
  ['changes(a[30m]) >= 3 and on (job) group_left (app) b unless c offset 5m', ['a', 'b', 'c']],
])('the metrics of %s', (query, metrics) => {
  expect(metricsIn(query)).toEqual(metrics);
});
