/** Throws on an impossible state: the caller gets a 500, the log the message. It stays on in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** Throws in the branch that an exhaustive switch never takes. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}
