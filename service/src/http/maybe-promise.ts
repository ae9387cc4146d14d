/** A value that may already be there. Hot paths answer from memory and skip the turn that a promise costs. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value at once when it is there, otherwise when it comes. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  then: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value)
}
