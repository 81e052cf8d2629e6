import { getMetadataStorage } from 'class-validator';

const properties = new Map<unknown, Set<string>>();

/** Returns the names of the properties of a class that have a class-validator decorator. */
export function propertiesOf(type: new () => object): ReadonlySet<string> {
  let names = properties.get(type);
  if (!names) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(metadata.map(({ propertyName }) => propertyName));
    properties.set(type, names);
  }
  return names;
}
