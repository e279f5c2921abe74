import { type DestinationStream, pino } from 'pino';
import { logFieldsHere } from './log-context.ts';
import { redact, redactText } from './redact.ts';
import { textLine } from './text-line.ts';

/** How much is logged. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** How a line looks: an object of JSON for programs, or text for people. */
export type LogFormat = 'json' | 'text';

/** Fields that go with a log line; secrets in them are replaced before anything is written. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger. Message first, so that a line reads without its fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry these fields. */
  child(fields: LogFields): Logger;
}

/** How a logger is made. */
export interface LoggerOptions {
  readonly level?: LogLevel;
  readonly name?: string;
  /** JSON unless given. */
  readonly format?: LogFormat;
  /** Where lines go; standard output unless given. */
  readonly write?: (line: string) => void;
}

/** A logger that writes one line of JSON, or of text, for each message and never a secret. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const plain: DestinationStream = options.write === undefined ? pino.destination(1) : { write: options.write };
  const destination = options.format === 'text' ? { write: (line: string) => plain.write(textLine(line)) } : plain;
  const root = pino(
    {
      level: options.level ?? 'info',
      ...(options.name === undefined ? {} : { name: options.name }),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return wrap(root, new Set());
}

type Sink = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'> & {
  child(fields: object): Sink;
};

/** `bound` are the names of fields that every line of the sink has already: a line names a thing once. */
function wrap(sink: Sink, bound: ReadonlySet<string>): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (!sink.isLevelEnabled(level)) return;
    sink[level](redact({ ...fieldsAround(bound), ...fields }) as object, redactText(message));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => wrap(sink.child(redact(fields) as object), new Set([...bound, ...Object.keys(fields)])),
  };
}

function fieldsAround(bound: ReadonlySet<string>): LogFields | undefined {
  const around = logFieldsHere();
  if (around === undefined || bound.size === 0) return around;
  return Object.fromEntries(Object.entries(around).filter(([name]) => !bound.has(name)));
}

const ignore = (): void => {};

/** A logger that says nothing. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};
