import { memberValue } from '../expressions/event-value.js';
import { isObject, type Value, type ValueObject } from '../expressions/values.js';

/**
 * A JSON merge patch (RFC 7396): the value after `patch` was applied to `target`, which is left as it is. Any name is
 * an ordinary one, `__proto__` too. Recursion is as deep as the patch.
 */
export function mergePatch(target: Value, patch: Value): Value {
  if (!isObject(patch)) return patch;
  const merged = Object.assign(Object.create(null), isObject(target) ? target : {}) as Record<string, Value>;
  for (const name of Object.keys(patch)) {
    const value = memberValue(patch, name);
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name] ?? null, value);
  }
  return merged satisfies ValueObject;
}
