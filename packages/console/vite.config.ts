import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds static files with hashed names for `/console/`. No script and no style is inline: the page's policy forbids it. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  resolve: {
    alias: { '#client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `npm run dev` shows changes of the source at once, with the data of a system that `npm start` runs.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/health', '/console/settings.json'].map((path) => [path, 'http://127.0.0.1:3900']),
    ),
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
