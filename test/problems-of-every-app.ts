import { problemCodes } from '#api';
import '../apps/gateway/src/start.js';
import '../apps/ingest/src/start.js';

/** The codes of the problems that any app can answer with. This module defines all of them. */
export const problemsOfEveryApp = problemCodes();
