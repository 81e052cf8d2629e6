import type { ModuleMetadata } from '@nestjs/common';
import type { AppConfig, SettingsClass } from '#api';
import type { DefinitionsOptions } from '#registry';

/** A Nest module, as an app imports it. */
type FeatureModule = NonNullable<ModuleMetadata['imports']>[number];

/**
 * A subject of the platform, such as exports, with what it brings to the apps. An app is a list of features: a feature
 * is added or removed by one line, and the core names none. Its metrics, problems and tables need no member here: they exist
 * once the modules of the feature are imported, and in its folder `migrations`.
 */
export interface Feature {
  readonly name: string;
  /** Settings that each app with the feature reads, and provides under their classes: a composed class under its parts. */
  readonly settings?: readonly SettingsClass[];
  /** Kinds of definitions, which the registry keeps. */
  readonly kinds?: DefinitionsOptions['kinds'];
  /** Controllers and services of the gateway. */
  readonly gateway?: FeatureModule;
  /** Returns the module of the write routes, which ingest and the gateway have. Settings may decide which routes exist. */
  readonly writing?: (config: AppConfig) => FeatureModule;
  /** Tasks of the processor: the module adds them to `ProcessorTasks`. */
  readonly processor?: FeatureModule;
}

/** Returns the Nest modules that features bring to an app, in the order of the list. */
export function modulesOf(features: readonly Feature[], app: 'gateway' | 'processor'): FeatureModule[] {
  return features.flatMap(({ [app]: module }) => module ?? []);
}

/** Returns the Nest modules with the write routes of features. */
export function writeModulesOf(features: readonly Feature[], config: AppConfig): FeatureModule[] {
  return features.flatMap(({ writing }) => writing?.(config) ?? []);
}

/** Returns the kinds of definitions that features bring to an app. */
export function kindsOf(features: readonly Feature[]): DefinitionsOptions['kinds'] {
  return features.flatMap(({ kinds = [] }) => kinds);
}

/** Returns the configuration classes that features bring to an app. */
export function settingsOf(features: readonly Feature[]): SettingsClass[] {
  return features.flatMap(({ settings = [] }) => settings);
}
