import { readFileSync } from 'node:fs';
import { getMetadataStorage } from 'class-validator';
import ts from 'typescript';
import { AppConfig, isSecret } from '#api';
import { LocalConfig } from '../local/src/settings.js';
import { appNames, configOf } from './app-settings.js';

/** Path of the page that documents all settings; `npm run format:settings` generates it. */
export const settingsPage = 'docs/configuration.md';

const heading = `# Configuration

Every app reads its settings from the environment, checks them at the start, and names each wrong one. Each prints the settings in
force, secrets masked, and ends:

\`\`\`
node dist/bundle/ingest.js --check-config
\`\`\`

\`npm run format:settings\` writes this page from the configuration classes; a spec compares both.

The standard \`OTEL_*\` variables set up traces: [docs/tracing.md](tracing.md). Users, TLS and passwords of the engines:
[docs/operations.md](operations.md).
`;

type SettingValue = string | number | boolean | string[] | undefined;

interface Section {
  title: string;
  text?: string;
  type: new () => object;
  source: string;
}

const sections: readonly Section[] = [
  { title: 'Every app', type: AppConfig, source: 'libs/api/src/config.ts' },
  ...appNames.map((app) => ({
    title: `\`${app}\``,
    type: configOf(app),
    source: `apps/${app}/src/config/${app}-config.ts`,
  })),
  {
    title: '`npm start`',
    text: `\`npm start\` reads these and the settings of every app, and passes all variables on to the apps, except
the addresses, users and passwords of engines that it starts itself. Other defaults than those of
the apps: \`STREAM_PARTITIONS\` is 4, \`KAFKA_SESSION_TIMEOUT_MS\` is 10000, and \`API_KEYS\` has the key of the data folder. With
\`KAFKA_BROKERS\` set it starts no Kafka, and needs neither Java nor Maven; with \`CLICKHOUSE_URL\` set it starts no ClickHouse.

The embedded ClickHouse is ClickHouse's own server, from a library that npm installs: a default for development. For production,
name a ClickHouse server and a Kafka cluster. Both embedded engines listen on the loopback address and require a password that is
made for the data folder ([decision 0024](decisions/0024-closed-embedded-engines.md)). To look into the store, or to use Kafka's own tools:

\`\`\`
curl -s http://127.0.0.1:8123 -u "tributary:$(cat .tributary/clickhouse/password)" \\
  --data-binary 'SELECT stream, count() FROM tributary.events GROUP BY stream'
kafka-topics.sh --bootstrap-server 127.0.0.1:9092 --command-config .tributary/kafka/client.properties --list
\`\`\`

Tables and topics name a stream by its id, \`orders#0k3v9x2m1q\` say. They also contain the system's own streams, such as
\`tributary.audit\`.`,
    type: LocalConfig,
    source: 'local/src/settings.ts',
  },
];

/** Returns the page of all settings, made of the configuration classes: their defaults, rules and doc comments. */
export function makeSettingsPage(): string {
  return [heading, ...sections.map(sectionText)].join('\n');
}

/** Returns the settings of each class that have no doc comment. */
export function undocumentedSettings(): string[] {
  return sections.flatMap((section) =>
    ownSettings(section).filter((name) => commentsIn(section.source).get(name) === undefined),
  );
}

function sectionText(section: Section): string {
  const comments = commentsIn(section.source);
  const defaults = new section.type() as Record<string, SettingValue>;
  const rows = ownSettings(section).map((name) =>
    [
      `\`${name}\``,
      defaultText(name, defaults[name]),
      valuesText(section.type, name),
      comments.get(name),
    ].join(' | '),
  );
  return [
    `## ${section.title}\n`,
    ...(section.text ? [`${section.text}\n`] : []),
    '| Variable | Default | Values | Meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

function ownSettings({ type }: Section): string[] {
  const common = type === AppConfig ? [] : Object.keys(new AppConfig());
  return Object.keys(new type()).filter((name) => !common.includes(name));
}

function defaultText(name: string, value: SettingValue): string {
  if (isSecret(name) || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return 'none';
  const text = `\`${String(value)}\``;
  return name.endsWith('_BYTES') ? `${text} (${Number(value) / 1024 ** 2} MiB)` : text;
}

/**
 * Returns the values that class-validator allows for a setting, as text: a range or a list of choices; empty if the
 * rules are neither.
 */
function valuesText(type: new () => object, name: string): string {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(type, type.name, false, false)
    .filter(({ propertyName }) => propertyName === name);
  const constraint = (rule: string) =>
    rules.find((one) => one.name === rule)?.constraints?.[0] as number | undefined;
  const [least, most] = [constraint('min'), constraint('max')];
  const choice = rules.find(({ name: rule }) => rule === 'isIn')?.constraints?.[0] as string[] | undefined;
  if (choice) return choice.map((one) => `\`${one}\``).join(', ');
  if (rules.some((rule) => rule.name === 'isBoolean')) return '`true`, `false`';
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return isSecret(name) ? 'secret' : '';
}

/** Returns the doc comments of the properties of every class in a source text. */
function commentsIn(source: string): Map<string, string> {
  const file = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.Latest, true);
  const comments = new Map<string, string>();
  for (const statement of file.statements)
    for (const member of ts.isClassDeclaration(statement) ? statement.members : []) {
      const text = ts
        .getJSDocCommentsAndTags(member)
        .map(({ comment }) => ts.getTextOfJSDocComment(comment))[0];
      if (member.name && text) comments.set(member.name.getText(), text.replaceAll(/\s+/g, ' '));
    }
  return comments;
}
