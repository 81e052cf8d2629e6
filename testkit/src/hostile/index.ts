export * from './expressions.js';
export * from './headers.js';
export * from './json-shapes.js';
export * from './patterns.js';
export * from './texts.js';
