/**
 * Imports point one way: apps → features → the kits of gateway and processor → http, writing, engine, registry → store,
 * dataflow → api, telemetry → event → the engines in packages.
 */

/** Packages that know nothing of Tributary. */
const engines = 'packages/(async|kafka|zstd)';

const only = (name, module, from) => ({
  name,
  severity: 'error',
  comment: `Only ${from} imports ${module}.`,
  from: { pathNot: [`^(${from})`, '\\.spec\\.ts$', '^testkit', '^bench', '^test', '^deploy/checks'] },
  to: { path: `^node_modules/(${module})` },
});

/** What only the feature itself imports. */
const insideFeature =
  '^libs/features/[^/]+/(?!((clickhouse|computation|definition|enforcement|processor|state)/)?index\\.ts$)';

/** In-memory fakes: `#kafka/memory` and the like. */
const fakes = ['log', 'store', 'erasures', 'tracing'].map((name) => `/(in-)?memory-${name}\\.ts$`);

/** A folder of a library imports only those that stand before it; '' is what stands in `src` itself. Specs build what they like. */
const layers = (library, ...folders) => {
  const root = `(libs/core/${library}|libs/features/${library}|packages/${library}/src)`;
  return folders.map((folder, i) => {
    const pathOf = (name) => (name === '' ? '[^/]+$' : `${name}/`);
    const below = folders
      .slice(0, i + 1)
      .map(pathOf)
      .join('|');
    return {
      name: `${library}-${folder || 'src'}-looks-down`,
      severity: 'error',
      from: {
        path: `^${root}/${pathOf(folder)}`,
        pathNot: ['\\.(spec|fixture|contract)\\.ts$', `^${root}/index\\.ts$`],
      },
      to: { path: `^${root}/`, pathNot: `^${root}/(${below})` },
    };
  });
};

const definitionKinds = [
  'resources',
  'sources',
  'audit',
  'changes',
  'erasures',
  'keys',
  'schemas',
  'streams',
];

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'event-is-the-bottom',
      severity: 'error',
      from: { path: '^libs/core/event/' },
      to: { path: '^(apps|local|libs|packages/(kafka|zstd))/', pathNot: '^libs/core/event/' },
    },
    {
      name: 'api-stands-on-them',
      severity: 'error',
      from: { path: '^libs/core/api/' },
      to: { path: '^(apps|local|libs)/', pathNot: '^libs/core/(api|event)/' },
    },
    {
      name: 'ports-do-not-look-up-or-sideways',
      severity: 'error',
      from: { path: '^libs/core/(store|dataflow|telemetry)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps/|libs/|packages/kafka/)', pathNot: ['^libs/core/(event|api)/', '^libs/core/$1/'] },
    },
    {
      name: 'pipelines-compute-without-io',
      severity: 'error',
      from: { path: '^libs/features/pipelines/computation/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: {
        path: '^(apps/|libs/|packages/kafka/)',
        pathNot: ['^libs/core/(event|api|dataflow)/', '^libs/features/pipelines/computation/'],
      },
    },
    {
      name: 'libraries-do-not-look-up',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: { path: '^apps/' },
    },
    {
      name: 'testkit-only-in-specs',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.spec\\.ts$', '\\.contract\\.ts$'] },
      to: { path: '^testkit/' },
    },
    {
      name: 'libraries-through-their-index',
      severity: 'error',
      from: {
        path: '^(apps|libs/features|testkit|local|test|bench)/',
        pathNot: '\\.(spec|fixture|contract)\\.ts$',
      },
      to: { path: '^libs/core/[^/]+/(?!index\\.ts$)', pathNot: fakes },
    },
    {
      name: 'the-core-knows-no-feature',
      severity: 'error',
      from: { path: '^libs/core/', pathNot: '\\.(spec|fixture|contract)\\.ts$|/contract/' },
      to: { path: '^libs/features/' },
    },
    {
      name: 'features-through-their-door',
      severity: 'error',
      comment: 'A feature is imported by its index.ts; its parts by theirs, such as processor/index.ts.',
      from: { path: '^libs/features/([^/]+)/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: { path: insideFeature, pathNot: '^libs/features/$1/' },
    },
    {
      name: 'features-through-their-door-from-outside',
      severity: 'error',
      from: {
        path: '^(apps|libs/core|testkit|local|test|bench)/',
        pathNot: '\\.(spec|fixture|contract)\\.ts$',
      },
      to: { path: insideFeature },
    },
    {
      name: 'fakes-only-in-specs',
      severity: 'error',
      from: {
        pathNot: [
          '\\.(spec|fixture|contract)\\.ts$',
          '^(libs/core/[^/]+|packages/[^/]+/src)/(contract|memory)/',
          '^testkit/',
          '^test/',
          '^bench/',
        ],
      },
      to: { path: fakes },
    },
    {
      name: 'specs-of-apps-use-fixtures-of-libraries',
      severity: 'error',
      comment: 'A generator of cases is worth more when the real thing is held against it, too.',
      from: { path: '^(apps|local|test|bench)/.*\\.(spec|fixture)\\.ts$' },
      to: {
        path: '^libs/core/[^/]+/(?!index\\.ts$)',
        pathNot: ['^libs/core/store/clickhouse/test-store\\.ts$', '\\.fixture\\.ts$', ...fakes],
      },
    },
    {
      name: 'other-libraries-through-their-index',
      severity: 'error',
      from: { path: '^libs/core/([^/]+)/' },
      to: {
        path: '^libs/core/[^/]+/(?!index\\.ts$)',
        pathNot: ['^libs/core/$1/', '\\.fixture\\.ts$', ...fakes],
      },
    },
    {
      name: 'fixtures-only-in-specs',
      severity: 'error',
      from: {
        path: '^(apps|libs|packages)/',
        pathNot: ['\\.(spec|fixture|contract)\\.ts$', '^libs/core/[^/]+/contract/'],
      },
      to: { path: '\\.fixture\\.ts$' },
    },
    {
      name: 'engines-stand-alone',
      severity: 'error',
      comment:
        'They could be published alone: nothing of Tributary is behind them, only Node and the listed packages.',
      from: { path: `^${engines}/`, pathNot: '\\.(spec|fixture|contract)\\.ts$|/contract/' },
      to: {
        pathNot: [
          '^packages/$1/',
          '^packages/(async|zstd)/src/index\\.ts$',
          '^node_modules/(kafkajs|snappy|lz4-napi|@node-rs/crc32|fzstd)/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'engines-through-their-index',
      severity: 'error',
      from: { pathNot: `^${engines}/` },
      to: {
        path: `^${engines}/src/(?!index\\.ts$)`,
        pathNot: ['\\.fixture\\.ts$', '/contract/', ...fakes],
      },
    },
    {
      name: 'packages-stand-alone',
      severity: 'error',
      comment: 'They are published: nothing of this repository, of Node or of others is behind them.',
      from: { path: '^packages/client/src/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: { pathNot: '^packages/client/' },
    },
    {
      name: 'cel-and-json-schema-through-their-index',
      severity: 'error',
      from: { path: '^(apps|libs|testkit|local|test|bench)/' },
      to: {
        path: '^packages/(cel|json-schema|json|regex-cost)/src/(?!(scan/)?index\\.ts$)',
        pathNot: ['\\.fixture\\.ts$', '/compatibility-mode\\.ts$'],
      },
    },
    {
      name: 'cel-and-json-schema-stand-alone',
      severity: 'error',
      comment:
        'They are published: an engine uses the small packages below it, and what its package.json names.',
      from: { path: '^packages/(cel|json-schema|json|regex-cost)/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: {
        pathNot: [
          '^packages/$1/',
          '^packages/(async|json|regex-cost)/src/index\\.ts$',
          '^node_modules/(@marcbachmann/cel-js|re2js|ajv|@hyperjump/json-schema-formats|idn-hostname)/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'json-and-regex-cost-have-no-dependencies',
      severity: 'error',
      from: { path: '^packages/(json|regex-cost)/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^packages/$1/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'command-line-on-the-client',
      severity: 'error',
      comment: 'The command line uses what the client exports, Node and a parser of YAML.',
      from: { path: '^packages/cli/', pathNot: '\\.(spec|fixture)\\.ts$|^packages/cli/bin/' },
      to: {
        pathNot: ['^packages/cli/', '^packages/client/src/index\\.ts$', '^node_modules/yaml/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'examples-on-the-client',
      severity: 'error',
      comment: 'They can be copied: an example uses the client and the library that it is for.',
      from: { path: '^examples/([^/]+)/' },
      to: {
        pathNot: [
          '^examples/$1/',
          '^packages/client/src/index\\.ts$',
          '^node_modules/@event-driven-io/emmett/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'console-on-the-client',
      severity: 'error',
      comment: 'The console uses what the client exports, Preact, uPlot and CodeMirror.',
      from: { path: '^packages/console/src/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: {
        pathNot: [
          '^packages/console/src/',
          '^packages/client/src/index\\.ts$',
          '^node_modules/(preact|@preact|uplot|@codemirror|@lezer)/',
          '^uplot/',
        ],
      },
    },
    {
      name: 'console-logic-stands-alone',
      severity: 'error',
      comment: 'Logic without a browser: its specs run in Node, as the client does.',
      from: { path: '^packages/console/src/logic/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^packages/console/src/logic/', '^packages/client/src/index\\.ts$'] },
    },
    ...layers('cel', '', 'sql'),
    ...layers('dataflow', 'id-window', 'definition', 'expressions', 'fold-operations', 'folds'),
    ...layers('pipelines/computation', 'flow', 'windows', 'operators', ''),
    ...layers('json-schema', '', 'values', 'document', 'validation', 'scan', 'compatibility'),
    ...layers('telemetry', '', 'event-loop', 'tracing'),
    ...layers('kafka', '', 'kafka', 'memory', 'contract'),
    ...layers('store', 'row-batch', '', 'clickhouse', 'memory', 'contract'),
    ...layers('registry', ...definitionKinds, '', 'backup', 'contract'),
    ...layers(
      'http',
      '',
      'rate-limit',
      'problems',
      'body',
      'auth',
      'openapi',
      'answers',
      'handlers',
      'server',
    ),
    // A record of a pipeline goes one way: a job reads it, a stage computes, state is kept, output is written.
    ...Object.entries({
      output: 'output',
      lookups: 'lookups',
      state: 'state|output',
      stages: 'stages|lookups|state|output',
    }).map(([folder, may]) => ({
      name: `pipelines-${folder}-look-one-way`,
      severity: 'error',
      from: { path: `^libs/features/pipelines/processor/${folder}/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^libs/features/pipelines/processor/',
        pathNot: `^libs/features/pipelines/processor/(${may})/`,
      },
    })),
    only('kafkajs-in-kafka', 'kafkajs|snappy|lz4-napi|@node-rs/crc32', 'packages/kafka/'),
    only('fzstd-in-zstd', 'fzstd', 'packages/zstd/'),
    only('clickhouse-in-store', '@clickhouse', 'libs/core/store/'),
    only('prom-client-in-telemetry', 'prom-client|pino', 'libs/core/telemetry/'),
    only('opentelemetry-in-telemetry', '@opentelemetry', 'libs/core/telemetry/'),
    {
      name: 'opentelemetry-only-where-it-is-on',
      severity: 'error',
      comment: 'The SDK is loaded by a dynamic import, where tracing is configured.',
      from: {
        path: '^libs/core/telemetry/(?!tracing/)|^libs/core/telemetry/tracing/(index|open-tracing)\\.ts$',
      },
      to: {
        path: '^libs/core/telemetry/tracing/(otlp-tracing|otel-tracing|sampler-of|reporting-exporter)\\.ts$|^node_modules/@opentelemetry',
        dependencyTypesNot: ['dynamic-import'],
      },
    },
    only('cel-in-cel', '@marcbachmann', 'packages/cel/'),
    only('formats-in-json-schema', '@hyperjump/json-schema-formats|idn-hostname', 'packages/json-schema/'),
    only('chdb-in-local', 'chdb', 'local/'),
    only(
      'nest-in-apps-features-and-what-serves-them',
      '@nestjs',
      'apps/|libs/features/|libs/core/(app|gateway-kit|processor-kit|http|writing)/',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^packages/[^/]+/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'require', 'node', 'default'],
    },
  },
};
