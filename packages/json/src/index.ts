export { charactersOf, hasCharacters, type CharacterCountBounds } from './characters.js';
export { compareUtf8 } from './compare-utf8.js';
export { maxJsonDepth, nestsDeeperThan } from './json-depth.js';
export { jsonPointerTo } from './json-pointer.js';
export { JsonScanner } from './json-scanner.js';
export { isJsonObject, jsonValue } from './json-value.js';
export { parseWithNumbers, type NumberConverter } from './parse-with-numbers.js';
export {
  earliestTime,
  formatTime,
  latestTime,
  parseFormattedTime,
  parseTime,
  type EpochMicros,
} from './time.js';
