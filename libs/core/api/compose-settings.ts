/**
 * A class of settings. Its properties have the names of environment variables, class-validator's decorators are their
 * rules, and its initializers are their defaults.
 */
export type SettingsClass<T extends object = object> = new () => T;

/** The intersection of the members of a union. */
type IntersectionOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;

/**
 * Returns one configuration class with the settings of several classes, each of them once. It has their properties, not
 * their methods.
 * @throws Error when two classes define the same setting
 */
export function composeSettings<Classes extends readonly SettingsClass[]>(
  ...classes: Classes
): SettingsClass<IntersectionOf<InstanceType<Classes[number]>> & object> {
  const composed = [...new Set(classes.flatMap(settingsClassesOf))];
  requireOneDefinition(composed);
  return class {
    static readonly composed = composed;
    constructor() {
      Object.assign(this, ...composed.map((one) => new one()));
    }
  } as SettingsClass as SettingsClass<IntersectionOf<InstanceType<Classes[number]>> & object>;
}

/**
 * Returns the classes that a configuration class is composed of; for any other class, the class itself.
 * @throws Error for a subclass of a composed class, because its own settings would not be read
 */
export function settingsClassesOf(type: SettingsClass): readonly SettingsClass[] {
  const { composed } = type as { composed?: readonly SettingsClass[] };
  if (composed && !Object.hasOwn(type, 'composed'))
    throw new Error(
      `${type.name} extends a composed configuration: compose it of its own class of settings.`,
    );
  return composed ?? [type];
}

function requireOneDefinition(classes: readonly SettingsClass[]): void {
  const definedBy = new Map<string, string>();
  for (const type of classes)
    for (const name of Object.keys(new type())) {
      const other = definedBy.get(name);
      if (other) throw new Error(`${other} and ${type.name} both define the setting ${name}.`);
      definedBy.set(name, type.name);
    }
}
