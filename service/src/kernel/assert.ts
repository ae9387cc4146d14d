/** Stops on an impossible state: the caller sees a 500, the log sees the message. Stays on in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** Marks the branch that an exhaustive switch never takes. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}
