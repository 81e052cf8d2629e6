/** Imports point one way: apps → http, definitions → log, store, schemas, streaming, telemetry → contracts. */
const only = (name, module, from) => ({
  name,
  severity: 'error',
  comment: `Only ${from} imports ${module}.`,
  from: { pathNot: [`^(${from})`, '\\.spec\\.ts$', '^libs/testing', '^bench', '^test', '^deploy/checks'] },
  to: { path: `^node_modules/(${module})` },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contracts-is-the-bottom',
      severity: 'error',
      from: { path: '^libs/contracts/' },
      to: { path: '^(apps|libs/(?!contracts))' },
    },
    {
      name: 'ports-do-not-look-up-or-sideways',
      severity: 'error',
      from: { path: '^libs/(log|store|schemas|streaming|telemetry|webhooks)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps/|libs/)', pathNot: ['^libs/contracts/', '^libs/$1/'] },
    },
    {
      name: 'definitions-consuming-and-http-do-not-look-up',
      severity: 'error',
      from: { path: '^libs/(definitions|consuming|entities|http)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/' },
    },
    {
      name: 'testing-only-in-specs',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.spec\\.ts$', '\\.contract\\.ts$', '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'libraries-through-their-index',
      severity: 'error',
      from: {
        path: '^(apps|libs|local|test|bench)/',
        pathNot: ['^libs/([^/]+)/', '\\.(spec|fixture)\\.ts$'],
      },
      to: { path: '^libs/[^/]+/src/(?!index\\.ts$)' },
    },
    {
      name: 'specs-of-apps-use-fixtures-of-libraries',
      severity: 'error',
      comment: 'A generator of cases is worth more when the real thing is held against it, too.',
      from: { path: '^(apps|local|test|bench)/.*\\.(spec|fixture)\\.ts$' },
      to: { path: '^libs/[^/]+/src/(?!index\\.ts$)', pathNot: '\\.fixture\\.ts$' },
    },
    {
      name: 'other-libraries-through-their-index',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/(?!index\\.ts$)', pathNot: ['^libs/$1/', '\\.fixture\\.ts$'] },
    },
    {
      name: 'fixtures-only-in-specs',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: ['\\.(spec|fixture|contract)\\.ts$', '^libs/[^/]+/src/contract/', '^libs/testing/'],
      },
      to: { path: '\\.fixture\\.ts$' },
    },
    only('kafkajs-in-log', 'kafkajs', 'libs/log/'),
    only('clickhouse-in-store', '@clickhouse', 'libs/store/'),
    only('prom-client-in-telemetry', 'prom-client|pino', 'libs/telemetry/'),
    only('opentelemetry-in-telemetry', '@opentelemetry', 'libs/telemetry/'),
    {
      name: 'opentelemetry-only-where-it-is-on',
      severity: 'error',
      comment: 'The SDK is loaded by a dynamic import, where tracing is configured.',
      from: {
        path: '^libs/telemetry/src/(?!tracing/)|^libs/telemetry/src/tracing/(index|open-tracing)\\.ts$',
      },
      to: {
        path: '^libs/telemetry/src/tracing/(otlp-tracing|otel-tracing|sampler-of|reporting-exporter)\\.ts$|^node_modules/@opentelemetry',
        dependencyTypesNot: ['dynamic-import'],
      },
    },
    only('cel-in-streaming', '@marcbachmann', 'libs/streaming/'),
    only('formats-in-schemas', '@hyperjump/json-schema-formats|idn-hostname', 'libs/schemas/'),
    only('chdb-in-local', 'chdb', 'local/'),
    only('nest-in-apps-and-http', '@nestjs', 'apps/|libs/http/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'require', 'node', 'default'],
    },
  },
};
