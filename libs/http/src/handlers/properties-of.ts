import { getMetadataStorage } from 'class-validator';

const properties = new Map<unknown, Set<string>>();

/** Returns the property names that the validator knows of a class. */
export function propertiesOf(type: new () => object): ReadonlySet<string> {
  let names = properties.get(type);
  if (!names) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(metadata.map(({ propertyName }) => propertyName));
    properties.set(type, names);
  }
  return names;
}
