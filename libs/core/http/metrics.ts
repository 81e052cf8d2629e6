import { counter, gauge, histogram } from '#telemetry';

export const buildInfo = gauge('tributary_build_info', {
  help: 'Always 1; the labels are the name of the app and its version.',
  labelNames: ['app', 'version'],
});

export const healthCheckPassing = gauge('tributary_health_check_passing', {
  help: 'Result of a check of /health: 1 if it passes, 0 if it fails. The checks run at each scrape.',
  labelNames: ['check'],
});

export const healthCheckDegraded = gauge('tributary_health_check_degraded', {
  help: 'Whether a check of /health passes although an operator must act: 1 if so, otherwise 0.',
  labelNames: ['check'],
});

export const certificateExpiry = gauge('tributary_tls_certificate_expiry_timestamp_seconds', {
  help: 'Earliest expiry of the certificates in a file that this process read at its start (kafka_ca, kafka_client), in seconds since 1970.',
  labelNames: ['certificate'],
});

export const httpRequests = counter('tributary_http_requests_total', {
  help: 'Requests answered, by method, route pattern and class of status (2xx, 4xx …).',
  labelNames: ['method', 'route', 'status'],
});

export const httpDuration = histogram('tributary_http_request_duration_seconds', {
  help: 'Seconds from the routing of a request until its answer is sent, by method and route pattern.',
  labelNames: ['method', 'route'],
});

export const httpInFlight = gauge('tributary_http_requests_in_flight', { help: 'Requests in progress now.' });

export const httpBodyBytes = gauge('tributary_http_body_in_flight_bytes', {
  help: 'Bytes of request bodies in memory now, after decompression.',
});

export const httpAnswerBytes = gauge('tributary_http_answer_in_flight_bytes', {
  help: 'Bytes of answers in memory now: read from the store, or waiting for clients to receive them.',
});

export const httpAnswersCut = counter('tributary_http_answers_cut_total', {
  help: 'Answers that were cut off because their client received them too slowly.',
});

export const httpProblems = counter('tributary_http_problems_total', {
  help: 'Problems that requests ended with, by problem code; including problems that could not be sent to the client.',
  labelNames: ['code'],
});
for (const code of ['overloaded', 'internal_error']) httpProblems.inc({ code }, 0);

export const authRejections = counter('tributary_http_auth_refused_total', {
  help: 'Requests rejected because of their credentials, by problem code: unauthenticated, invalid_token, insufficient_scope …',
  labelNames: ['code'],
});

export const rateLimitRejections = counter('tributary_http_rate_refused_total', {
  help: 'Requests rejected because their key is over its rate limit, by unit: requests, events.',
  labelNames: ['unit'],
});
