import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import ts from 'typescript';
import { AppConfig, isSecret, settingsClassesOf, type SettingsClass } from '#api';
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

/** Text about `npm start`, before the list of its settings. */
const aboutNpmStart = `\`npm start\` reads these, the ports of the apps (from 1), and the settings of every app, and passes all variables on to the apps, except
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
\`tributary.audit\`.`;

type SettingValue = string | number | boolean | string[] | undefined;

/** A class of settings with its doc comment and those of its settings. */
interface SettingsComments {
  about: string;
  settings: ReadonlyMap<string, string>;
}

/** A section of the page: a class of settings, and the apps that read it. */
interface Section {
  type: SettingsClass;
  readers: readonly string[];
}

/** Returns the page of all settings, made of the configuration classes: their defaults, rules and doc comments. */
export function makeSettingsPage(): string {
  return [heading, contentsText(), ...sections().map(sectionText)].join('\n');
}

/** Returns the settings that have no doc comment, and the classes whose doc comment gives no title. */
export function undocumentedSettings(): string[] {
  return sections().flatMap(({ type }) => {
    const { about, settings } = commentsOf(type);
    const untitled = titlePattern.test(about) ? [] : [type.name];
    return [...untitled, ...ownSettings(type).filter((name) => !settings.has(name))];
  });
}

/** Returns the settings that several classes define; they would have two texts. */
export function settingsDefinedTwice(): string[] {
  const names = sections().flatMap(({ type }) => ownSettings(type));
  return names.filter((name, i) => names.indexOf(name) !== i);
}

/** Each class once: first that of every app, then the others in the order of the apps. */
function sections(): Section[] {
  const types = [...new Set(appNames.flatMap((app) => settingsClassesOf(configOf(app))))];
  return [
    ...types.map((type) => ({
      type,
      readers: appNames.filter((app) => settingsClassesOf(configOf(app)).includes(type)),
    })),
    { type: LocalConfig, readers: ['npm start'] },
  ];
}

function contentsText(): string {
  const items = appNames.map((app) => {
    const types = settingsClassesOf(configOf(app));
    const links = types.map((type) => `[${titleOf(type)}](#${anchorOf(titleOf(type))})`).join(', ');
    return listItem(`\`${app}\`: ${links}`);
  });
  return [...items, ''].join('\n');
}

/** Returns the anchor that a renderer of Markdown gives to a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** A doc comment such as `Settings of live streams. More about them.` */
const titlePattern = /^Settings of ([^.]+)\.\s*(.*)$/s;

function titleOf(type: SettingsClass): string {
  if (type === AppConfig) return 'Every app';
  const title = titlePattern.exec(commentsOf(type).about)?.[1] ?? type.name;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function sectionText({ type, readers }: Section): string {
  const { about, settings } = commentsOf(type);
  const defaults = new type() as Record<string, SettingValue>;
  const apps = readers.map((app) => `\`${app}\``).join(', ');
  const more = titlePattern.exec(about)?.[2];
  const text = type === LocalConfig ? aboutNpmStart : [`Read by ${apps}.`, more].filter(Boolean).join(' ');
  const items = ownSettings(type).map((name) => {
    const facts = [defaultText(name, defaults[name]), valuesText(type, name)].filter(Boolean).join('; ');
    return listItem(`\`${name}\` (${facts}): ${settings.get(name) ?? ''}`);
  });
  return [`## ${titleOf(type)}\n`, `${text}\n`, ...items, ''].join('\n');
}

/** Returns an item of a list, in lines of at most 120 characters. */
function listItem(text: string): string {
  const lines = ['-'];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= 120) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}

/** Returns the settings that a class adds to those of every app; of `npm start`, without the ports of the apps. */
function ownSettings(type: SettingsClass): string[] {
  const elsewhere = new Set(type === AppConfig ? [] : Object.keys(new AppConfig()));
  if (type === LocalConfig)
    for (const app of appNames) for (const name of Object.keys(new (configOf(app))())) elsewhere.add(name);
  return Object.keys(new type()).filter((name) => !elsewhere.has(name));
}

function defaultText(name: string, value: SettingValue): string {
  if (isSecret(name) || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return 'no default';
  const text = `default \`${String(value)}\``;
  return name.endsWith('_BYTES') ? `${text}, ${Number(value) / 1024 ** 2} MiB` : text;
}

/**
 * Returns the values that class-validator allows for a setting, as text: a range or a list of choices; empty if the
 * rules are neither.
 */
function valuesText(type: SettingsClass, name: string): string {
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

/** Returns the doc comments of a class of settings; its file ends with `settings.ts` or `config.ts`. */
function commentsOf(type: SettingsClass): SettingsComments {
  const comments = allComments().get(type.name);
  if (!comments)
    throw new Error(`No file that ends with settings.ts or config.ts has the class ${type.name}.`);
  return comments;
}

let read: ReadonlyMap<string, SettingsComments> | undefined;

function allComments(): ReadonlyMap<string, SettingsComments> {
  const paths = ['apps', 'libs', 'local/src'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const sources = paths.filter((path) => /(settings|config)\.ts$/.test(path));
  return (read ??= new Map(sources.flatMap(commentsIn)));
}

/** Returns the doc comments of every class in a source text, and of its properties. */
function commentsIn(source: string): [string, SettingsComments][] {
  const file = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.Latest, true);
  return file.statements.filter(ts.isClassDeclaration).map((type) => [
    type.name?.text ?? '',
    {
      about: commentOf(type),
      settings: new Map(
        type.members
          .map((member): [string, string] => [member.name?.getText() ?? '', commentOf(member)])
          .filter(([, text]) => text !== ''),
      ),
    },
  ]);
}

function commentOf(node: ts.Node): string {
  const text = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node)[0]?.comment);
  return (text ?? '').replaceAll(/\s+/g, ' ');
}
