/**
 * The database could not be reached, or the connection broke. HTTP responds 503 and the caller may retry. With
 * `commitSent` COMMIT was sent: the work may or may not be committed, so look it up.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly commitSent: boolean

  constructor(message: string, options: { cause?: unknown; commitSent?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.commitSent = options.commitSent ?? false
  }
}

/** Makes a one-line error that says why the database cannot be reached, without a stack of the driver. */
export function databaseUnavailable(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error
  return new DatabaseUnavailable(`The database is not available: ${reasonOf(error)}`, { cause: error })
}

/** A host name with several addresses fails with one error for each address and without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Too many requests wait for the database or for one of its rows. Nothing was done; the caller may retry. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy'
}

const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const UNIQUE_VIOLATION = '23505'
/** Raised by the function `require_unchanged`. */
const FACTS_CHANGED = 'BA001'

// Class 08 is added below by its prefix. 57P05 and 25P03 are the server closing a session that idled too long, 25006 is
// a server that has become a standby.
const SERVER_GONE = '57P01 57P02 57P03 57P05 25P03 25006 53300'
const NETWORK_GONE =
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ENOENT ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'
const LOST_CODES = new Set(`${SERVER_GONE} ${NETWORK_GONE}`.split(' '))

// The driver gives these failures no code, so they are recognised by their messages.
const LOST_MESSAGE =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout e)/

/** Whether the whole transaction may be run again: it lost a race and was rolled back. */
export function isRetryable(error: unknown): boolean {
  const code = errorCode(error)
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
}

/** Whether the transaction was rolled back because what it was decided on had changed (`require_unchanged`). */
export function haveFactsChanged(error: unknown): boolean {
  return errorCode(error) === FACTS_CHANGED
}

/** Whether the connection was lost, and with it the result. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const code = errorCode(error)
  if (code === undefined) return LOST_MESSAGE.test(error.message)
  return LOST_CODES.has(code) || (code.startsWith('08') && code.length === 5)
}

/** Whether a statement ended by a lock timeout or a statement timeout. */
export function isTimeout(error: unknown): boolean {
  const code = errorCode(error)
  return code === LOCK_NOT_AVAILABLE || code === QUERY_CANCELED
}

/** The unique index or constraint that refused a row, or undefined when the error is of another kind. */
export function violatedUnique(error: unknown): string | undefined {
  if (errorCode(error) !== UNIQUE_VIOLATION) return undefined
  const constraint = (error as { constraint?: unknown }).constraint
  return typeof constraint === 'string' ? constraint : undefined
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : undefined
}
