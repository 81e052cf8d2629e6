import { IsInt, IsOptional, IsString, Max } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { composeSettings, settingsClassesOf } from './compose-settings.js';
import { AppConfig, ConfigError, describeConfig, FromText, loadConfig, Secret } from './config.js';
import { DiffersFrom, RequiresSettings } from './config-rules.js';

class MailSettings {
  @IsString() @DiffersFrom('CLICKHOUSE_USER') MAIL_USER = 'mail';
  @Secret() @IsString() MAIL_PASSWORD = '';
  @FromText('list') MAIL_HOSTS: string[] = [];
  @IsOptional() @IsString() @RequiresSettings('MAIL_QUEUED') MAIL_FROM?: string = undefined;
}

class QueueSettings {
  @IsOptional() @FromText('number') @IsInt() @Max(10) MAIL_QUEUED?: number = undefined;
}

class OtherMailSettings {
  @IsString() MAIL_USER = 'other';
}

const MailConfig = composeSettings(AppConfig, MailSettings, QueueSettings);
const load = (env: NodeJS.ProcessEnv) => loadConfig(MailConfig, env);

describe('a configuration that is composed of classes', () => {
  it('has the settings and the defaults of every class', () => {
    const all = [new AppConfig(), new MailSettings(), new QueueSettings()];
    expect(load({})).toEqual(Object.assign({}, ...all));
    expect(Object.keys(new MailConfig())).toEqual(all.flatMap((one) => Object.keys(one)));
  });

  it('parses the variables of every class', () => {
    const env = { STREAM_PARTITIONS: '3', MAIL_HOSTS: 'a, b', MAIL_QUEUED: '7' };
    expect(load(env)).toMatchObject({ STREAM_PARTITIONS: 3, MAIL_HOSTS: ['a', 'b'], MAIL_QUEUED: 7 });
  });

  it('names each invalid variable in one error', () => {
    const wrong = () => load({ STREAM_PARTITIONS: 'x', MAIL_QUEUED: '11' });
    expect(wrong).toThrow(ConfigError);
    expect(wrong).toThrow('  STREAM_PARTITIONS is "x", but: it must be a whole number from 1 to 256');
    expect(wrong).toThrow('  MAIL_QUEUED is "11", but: ');
  });

  it('checks settings of different classes against each other', () => {
    expect(() => load({ MAIL_USER: 'default' })).toThrow(/MAIL_USER is "default".*same as CLICKHOUSE_USER/);
    expect(() => load({ MAIL_USER: 'default', CLICKHOUSE_USER: 'other' })).not.toThrow();
    expect(() => load({ MAIL_FROM: 'me' })).toThrow(/MAIL_FROM is "me".*MAIL_QUEUED/);
    expect(() => load({ MAIL_FROM: 'me', MAIL_QUEUED: '1' })).not.toThrow();
  });

  it('masks the secrets of every class', () => {
    const text = JSON.stringify(describeConfig(load({ MAIL_PASSWORD: 'hush', KAFKA_SASL_PASSWORD: '' })));
    expect(text).toContain('"MAIL_PASSWORD":"***"');
    expect(text).not.toContain('hush');
  });

  it('has a class once that is given twice, directly or in another composed class', () => {
    const twice = composeSettings(MailConfig, MailSettings, QueueSettings);
    expect(settingsClassesOf(twice)).toEqual([AppConfig, MailSettings, QueueSettings]);
    expect(settingsClassesOf(AppConfig)).toEqual([AppConfig]);
  });

  it('cannot be extended, because nobody would read the settings of the subclass', () => {
    class Extended extends MailConfig {
      @FromText('number') @IsInt() @Max(10) MAIL_LIMIT = 5;
    }
    const advice = 'Extended extends a composed configuration: compose it of its own class of settings.';
    expect(() => loadConfig(Extended, { MAIL_LIMIT: '99' })).toThrow(advice);
    expect(() => composeSettings(Extended, OtherMailSettings)).toThrow(advice);
  });

  it('cannot be composed of two classes that define the same setting', () => {
    expect(() => composeSettings(MailConfig, OtherMailSettings)).toThrow(
      'MailSettings and OtherMailSettings both define the setting MAIL_USER.',
    );
  });
});
