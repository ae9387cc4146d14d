/** A value or a promise of it. Hot paths return from memory and save the turn that a promise costs. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `then` at once with a value, or when the promise resolves. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  then: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value)
}
