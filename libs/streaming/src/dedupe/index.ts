export * from './id-window.js';
export * from './uuid-words.js';
