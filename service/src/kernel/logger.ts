import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** The log: JSON lines. It never gets headers, bodies or query strings. */
export type Logger = Pick<
  PinoLogger,
  'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled' | 'flush' | 'level'
>

/** Names of values that are removed from a log line. */
const SECRET_FIELDS = [
  'agent_key',
  'authorization',
  'bank_account',
  'body',
  'code',
  'cookie',
  'email',
  'headers',
  'otp',
  'pan',
  'password',
  'phone',
  'platform_secret',
  'query',
  'secret',
  'session',
  'token',
  'upi_id',
  'vendor_id',
  'webhook_secret',
]

/** A line is buffered at most this long. When the process ends, also by a crash, it writes the buffer. */
const FLUSH_EVERY_MS = 500
const BUFFER_BYTES = 4096
/** So many bytes reach a pipe at once or not at all (PIPE_BUF of Linux). */
const WHOLE_WRITE_BYTES = 4096

export function createLogger(level: LogLevel, destination: DestinationStream = bufferedOutput()): Logger {
  return loggerOf(level, null, destination)
}

/** The log of one of several processes with the same output: it names the process, and its lines stay whole. */
export function createWorkerLogger(level: LogLevel, worker: number): Logger {
  const dest = { dest: 1, sync: false, periodicFlush: FLUSH_EVERY_MS }
  const output = { ...dest, minLength: WHOLE_WRITE_BYTES / 2, maxWrite: WHOLE_WRITE_BYTES }
  return loggerOf(level, { worker }, pino.destination(output))
}

function loggerOf(
  level: LogLevel,
  base: { readonly worker: number } | null,
  destination: DestinationStream,
): Logger {
  return pino(
    {
      level,
      base,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: SECRET_FIELDS, censor: '[hidden]' },
      serializers: { err: describeError },
    },
    destination,
  )
}

/** A logger for tests and tools that writes nothing. */
export function silentLogger(): Logger {
  return createLogger('silent', { write() {} })
}

function bufferedOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_EVERY_MS })
}

const MAX_CAUSES = 5

/** The properties that help to find the fault. Others, such as a driver's `detail`, quote data. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return hideValues(String(error))
  const code: unknown = Reflect.get(error, 'code')
  return {
    type: error.name,
    message: hideValues(error.message),
    ...(typeof code === 'string' ? { error_code: code } : {}),
    stack: hideValues(error.stack ?? ''),
    ...(error.cause !== undefined && depth < MAX_CAUSES
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  }
}

const SECRET = /\b(sk_live|agk_live|ses_live|whsec)_[\w+/=-]+/g
const SESSION_COOKIE = /\b(service_(?:admin_)?session=)[^;\s]+/g
const PAN = /\b[A-Z]{5}\d{4}[A-Z]\b/g
const LONG_NUMBER = /(?<![\w.-])\d{9,18}(?![\w.-])/g

/** Hides secrets, session cookies, PANs, and numbers as long as phones and bank accounts, anywhere in a text. */
export function hideValues(text: string): string {
  return text
    .replace(SESSION_COOKIE, '$1[hidden]')
    .replace(SECRET, '$1_[hidden]')
    .replace(PAN, '[pan]')
    .replace(LONG_NUMBER, '[number]')
}
