export { HttpAnswerMemoryBudget } from './answers/http-answer-memory-budget.js';
export { countAnswerBytes } from './answers/answer-hooks.js';
export * from './server/process-context.js';
export * from './auth/index.js';
export { DescribeProblems, DescribeProblemsIn } from './problems/describe-problems.js';
export * from './server/health.js';
export * from './server/http-app.js';
export type { HttpPort, HttpPortOptions, PortServices } from './server/http-port.js';
export { shortPointerTo, unknownField, unknownFields } from './problems/input-errors.js';
export * from './server/process-lifecycle.js';
export type { OpenApiOptions } from './openapi/openapi.js';
export { DisconnectSignal, disconnectSignal } from './handlers/disconnect-signal.js';
export { Verbatim } from './handlers/verbatim.js';
export { Body } from './handlers/body.js';
export type { HasCrossFieldCheck } from './handlers/consistent.js';
export { parseBody, parseJson } from './handlers/parse-body.js';
export { parseQuery, Repeatable } from './handlers/parse-query.js';
export { PathParameter } from './handlers/path-parameter.js';
export { InjectPrincipal, Principal } from './handlers/principal.js';
export { Query } from './handlers/query.js';
export { TakesQuery } from './handlers/unknown-parameters.js';
export { ParseValue, ParseValues } from './handlers/parse-value.js';
export { setPreferenceApplied, handlingOf, returnOf } from './preference.js';
export { problemOf } from './problems/problem-of.js';
export {
  bodyOf,
  isJsonLines,
  isJsonType,
  mediaTypeOf,
  takeBody,
  takeBytes,
  isRepaired,
  notUtf8,
  utf8TextOf,
} from './body/read-body.js';
export { recordHeaders } from './server/request-identity.js';
export {
  Accepts,
  AcceptsAny,
  AcceptsBytes,
  RepairsText,
  AlwaysAnswered,
  BodyLimit,
  OnlyOnPort,
  isAlwaysAnswered,
  EncodeProblemsWith,
  type EncodedProblem,
} from './route-config.js';
export * from './server/run-app.js';
export { askedFor, DescribeBody, schemaOf } from './openapi/schema-of.js';
export { untilReachable } from './server/until-reachable.js';
export { resetAnswer } from './answers/reset-answer.js';
export { whenClosed } from './when-closed.js';
