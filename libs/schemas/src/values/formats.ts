import {
  isDate,
  isDateTime,
  isDuration,
  isEmail,
  isHostname,
  isIPv4,
  isIPv6,
  isJsonPointer,
  isRelativeJsonPointer,
  isTime,
  isUri,
  isUriReference,
  isUriTemplate,
  isUuid,
} from '@hyperjump/json-schema-formats';
import { isIdnHostname } from 'idn-hostname';

type Check = (text: string) => boolean;

/** Longer than anything that says a date, a time or both. */
const mostOfATime = 1_000;
/** RFC 5321: a local part of 64 characters and a domain of 255. */
const mostOfAnEmail = 320;
const mostOfAHostname = 253;

/** Most of what is written: no leap second, no day that some months lack. */
const plainTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?Z$/;

/**
 * The formats that are checked, as the official test suite of JSON Schema has them. Each takes time in proportion to the
 * text's length.
 */
export const formats: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['date-time', either((text) => plainTime.test(text), upTo(mostOfATime, isDateTime))],
  ['date', isDate],
  ['time', upTo(mostOfATime, isTimeOfSomeDay)],
  ['duration', upTo(mostOfATime, isDuration)],
  ['uuid', isUuid],
  ['email', upTo(mostOfAnEmail, without(isEmail))],
  [
    'hostname',
    upTo(
      mostOfAHostname,
      without((text) => isHostname(text) && isIdnHostname(text)),
    ),
  ],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uri-template', isUriTemplate],
  ['json-pointer', isJsonPointer],
  ['relative-json-pointer', isRelativeJsonPointer],
]);

/** Also one with a leap second, which in UTC is the last of a day. */
function isTimeOfSomeDay(text: string): boolean {
  return isTime(text) || isDateTime(`1998-12-31T${text}`) || isDateTime(`1999-01-01T${text}`);
}

function upTo(most: number, check: Check): Check {
  return (text) => text.length <= most && check(text);
}

function either(quick: Check, complete: Check): Check {
  return (text) => quick(text) || complete(text);
}

/** Libraries that throw for some texts say the same as those that answer false. */
function without(check: Check): Check {
  return (text) => {
    try {
      return check(text);
    } catch {
      return false;
    }
  };
}
