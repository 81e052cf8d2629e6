export * from './dedupe/id-window.js';
export * from './folds/index.js';
export * from './pipelines/index.js';
