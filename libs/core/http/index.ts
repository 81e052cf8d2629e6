export { countAnswerBytes } from './answers/answer-hooks.js';
export { HttpAnswerMemoryBudget } from './answers/http-answer-memory-budget.js';
export * from './auth/index.js';
export {
  bodyOf,
  isJsonLines,
  isJsonType,
  isRepaired,
  mediaTypeOf,
  notUtf8,
  takeBody,
  takeBytes,
  utf8TextOf,
} from './body/read-body.js';
export {
  Body,
  DisconnectSignal,
  disconnectSignal,
  NoQuery,
  PathParameter,
  Query,
  TakesQuery,
} from './handlers/decorators.js';
export * from './handlers/parse-input.js';
export { ParseValue, ParseValues } from './handlers/parse-value.js';
export type { OpenApiOptions } from './openapi/openapi.js';
export { askedFor, DescribeBody, schemaOf } from './openapi/schema-of.js';
export { handlingOf, returnOf, setPreferenceApplied } from './preference.js';
export { DescribeProblems, DescribeProblemsIn } from './problems/describe-problems.js';
export { shortPointerTo, unknownField, unknownFields } from './problems/input-errors.js';
export { problemOf } from './problems/problem-of.js';
export {
  Accepts,
  AcceptsAny,
  AcceptsBytes,
  AlwaysAnswered,
  BodyLimit,
  EncodeProblemsWith,
  isAlwaysAnswered,
  OnlyOnPort,
  RepairsText,
  type EncodedProblem,
} from './route-config.js';
export * from './server/health.js';
export * from './server/http-app.js';
export type { HttpPort, HttpPortOptions, PortServices } from './server/http-port.js';
export * from './server/process-context.js';
export * from './server/process-lifecycle.js';
export { recordHeaders } from './server/request-identity.js';
export { runApp } from './server/run-app.js';
export { untilReachable } from './server/until-reachable.js';
export { resetAnswer, whenClosed } from './when-closed.js';
