import { type DestinationStream, pino } from 'pino';
import { redact, redactText } from './redact.ts';

/** How much is logged. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

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
  /** Where lines go; standard output unless given. */
  readonly write?: (line: string) => void;
}

/** A logger that writes one JSON object per line and never a secret. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const destination: DestinationStream = options.write === undefined ? pino.destination(1) : { write: options.write };
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
  return wrap(root);
}

type Sink = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'> & {
  child(fields: object): Sink;
};

function wrap(sink: Sink): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (!sink.isLevelEnabled(level)) return;
    sink[level](fields === undefined ? {} : (redact(fields) as object), redactText(message));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => wrap(sink.child(redact(fields) as object)),
  };
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
