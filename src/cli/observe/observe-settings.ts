import { parseCount, parseHttpUrl, parseOneOf, parsePath, parseSize } from '../parse-setting.ts';
import { define } from '../setting.ts';

/** The settings of what a process tells about itself: logs, who did what, and traces. */
export const observeSettings = {
  logLevel: define({
    flag: '--log-level',
    value: '<level>',
    env: 'RACKWRIGHT_LOG_LEVEL',
    about:
      'how much is logged: debug, info, warn or error; info unless given, of "up", which logs to standard error, error',
    parse: parseOneOf('debug', 'info', 'warn', 'error'),
  }),
  logFormat: define({
    flag: '--log-format',
    value: '<format>',
    env: 'RACKWRIGHT_LOG_FORMAT',
    about: 'how lines of the log look: json, one object a line for programs, or text for people',
    fallback: 'json',
    parse: parseOneOf('json', 'text'),
  }),
  auditLog: define({
    flag: '--audit-log',
    value: '<file>',
    env: 'RACKWRIGHT_AUDIT_LOG',
    about:
      'a file that is told who changed what through the Kubernetes API, the REST services and the update service, one Event of audit.k8s.io/v1 a line, without bodies',
    parse: parsePath,
  }),
  auditLogSize: define({
    flag: '--audit-log-size',
    value: '<size>',
    env: 'RACKWRIGHT_AUDIT_LOG_SIZE',
    about: 'how large the file of --audit-log gets before it is put aside as FILE.1',
    fallback: '100MiB',
    parse: parseSize,
  }),
  auditLogFiles: define({
    flag: '--audit-log-files',
    value: '<n>',
    env: 'RACKWRIGHT_AUDIT_LOG_FILES',
    about: 'how many files of --audit-log that were put aside are kept',
    fallback: '10',
    parse: parseCount({ least: 1, most: 1000 }),
  }),
  tracesEndpoint: define({
    flag: '--traces-endpoint',
    value: '<url>',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    about:
      'an OpenTelemetry collector that traces are sent to by OTLP over HTTP, such as http://localhost:4318; without it there are none',
    parse: parseHttpUrl,
  }),
} as const;

/** The settings of processes that serve something. */
export const observeSettingNames = [
  'logLevel',
  'logFormat',
  'auditLog',
  'auditLogSize',
  'auditLogFiles',
  'tracesEndpoint',
] as const;
