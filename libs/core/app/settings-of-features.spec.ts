import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { AppConfig, composeSettings, FromText, loadConfig } from '#api';
import { createContext } from '#http';
import { modulesOf, settingsOf, type Feature } from './feature.js';
import { ProcessModule } from './process.module.js';

class GreetingSettings {
  @FromText('number') @IsInt() GREETING_TIMES = 2;
}

@Injectable()
class Greeter {
  constructor(
    private readonly settings: GreetingSettings,
    readonly config: AppConfig,
  ) {}

  greeting(): string {
    return 'hi '.repeat(this.settings.GREETING_TIMES);
  }
}

@Module({ providers: [Greeter] })
class GreetingModule {}

const greeting: Feature = { name: 'greeting', settings: [GreetingSettings], gateway: GreetingModule };

/** Starts an app that is this list of features, with this environment. */
async function appOf(features: readonly Feature[], env: NodeJS.ProcessEnv) {
  const config = loadConfig(composeSettings(AppConfig, ...settingsOf(features)), env);
  const context = createContext({ name: 'spec', config });
  @Module({ imports: [ProcessModule.with(context), ...modulesOf(features, 'gateway')] })
  class App {}
  return { config, nest: await NestFactory.createApplicationContext(App, { logger: false }) };
}

describe('the settings of a feature', () => {
  it('are read by an app that has the feature in its list, and injected under their class', async () => {
    const { config, nest } = await appOf([greeting], { GREETING_TIMES: '3', LOG_LEVEL: 'silent' });
    const greeter = nest.get(Greeter, { strict: false });
    expect(greeter.greeting()).toBe('hi hi hi ');
    expect(greeter.config).toBe(config);
    expect(nest.get(GreetingSettings)).toBe(config);
    expect(nest.get(config.constructor as typeof AppConfig)).toBe(config);
    await nest.close();
  });

  it('are unknown to an app without the feature', async () => {
    const { config, nest } = await appOf([], { GREETING_TIMES: '3', LOG_LEVEL: 'silent' });
    expect(config).not.toHaveProperty('GREETING_TIMES');
    expect(() => nest.get(GreetingSettings)).toThrow();
    await nest.close();
  });
});
