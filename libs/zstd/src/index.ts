export { unzstd, unzstdInJavaScript } from './unzstd.js';
export { zstdFrames, ZstdRejectedError, type ZstdFrame } from './zstd-frames.js';
