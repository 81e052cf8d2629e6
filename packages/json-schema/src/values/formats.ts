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

type FormatCheck = (text: string) => boolean;

/** Maximum number of characters of a date, a time or a duration; valid texts are much shorter. */
const mostOfATime = 1_000;
/** Maximum number of characters of an email address (RFC 5321): a local part of 64 and a domain of 255. */
const mostOfAnEmail = 320;
const mostOfAHostname = 253;

/**
 * Matches most valid date-times quickly; date-times with a leap second, an offset, or a day that some months do not
 * have need the complete check.
 */
const plainTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?Z$/;

/**
 * The supported formats, as defined by the official test suite of JSON Schema. Each check takes time in
 * proportion to the length of the text.
 */
export const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
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

/** Checks the format `time`. A leap second is valid if it is at the end of a day in UTC. */
function isTimeOfSomeDay(text: string): boolean {
  return isTime(text) || isDateTime(`1998-12-31T${text}`) || isDateTime(`1999-01-01T${text}`);
}

function upTo(most: number, check: FormatCheck): FormatCheck {
  return (text) => text.length <= most && check(text);
}

function either(quick: FormatCheck, complete: FormatCheck): FormatCheck {
  return (text) => quick(text) || complete(text);
}

/** Wraps a check so that it returns false if the underlying library throws. */
function without(check: FormatCheck): FormatCheck {
  return (text) => {
    try {
      return check(text);
    } catch {
      return false;
    }
  };
}
