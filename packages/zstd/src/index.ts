export { unzstd, unzstdInJavaScript } from './unzstd.js';
export { zstdFrames, ZstdRejectedError, type ZstdFrameBoundaries } from './zstd-frames.js';
