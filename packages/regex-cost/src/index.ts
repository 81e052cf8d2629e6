export { patternBounds } from './pattern-bounds.js';
export { patternSize, type RegexInstructionBounds } from './pattern-size.js';
