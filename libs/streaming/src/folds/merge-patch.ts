import { isObject, type Value, type ValueObject } from '../expressions/values.js';

/**
 * A JSON merge patch (RFC 7396): the value after `patch` was applied to `target`. Both are used up: objects of either
 * are changed and become part of the result. Any name is an ordinary one, `__proto__` too. Recursion is as deep as the
 * patch.
 */
export function mergePatch(target: Value, patch: Value): Value {
  if (!isObject(patch)) return patch;
  if (!isObject(target)) return withoutNulls(patch);
  const merged = target as Record<string, Value>;
  for (const name of Object.keys(patch)) {
    const value = patch[name] as Value;
    if (value === null) delete merged[name];
    else if (!Object.hasOwn(merged, name)) put(merged, name, withoutNulls(value));
    else put(merged, name, mergePatch(merged[name] as Value, value));
  }
  return merged;
}

/** What a patch makes of nothing. */
function withoutNulls(patch: Value): Value {
  if (!isObject(patch)) return patch;
  const made = patch as Record<string, Value>;
  for (const name of Object.keys(patch)) {
    const value = patch[name] as Value;
    if (value === null) delete made[name];
    else withoutNulls(value);
  }
  return made satisfies ValueObject;
}

function put(object: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
