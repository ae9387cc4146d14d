import { within } from '../client/timeouts.ts'
import type { Deadline } from './deadline.ts'

/** Runs one piece of work at a time for each key, in this process. Rejects if the deadline passes before its turn. */
export type InTurn = <Result>(
  key: string,
  deadline: Deadline | null,
  work: () => Promise<Result>,
) => Promise<Result>

export function createTurns(): InTurn {
  const running = new Map<string, Promise<void>>()
  return async (key, deadline, work) => {
    for (let before = running.get(key); before !== undefined; before = running.get(key)) {
      const turn = before
      await (deadline === null ? turn : within(Infinity, deadline.signal, () => turn))
    }
    const result = work()
    running.set(key, ended(result))
    try {
      return await result
    } finally {
      running.delete(key)
    }
  }
}

/** The end of work, whether it succeeded or failed; its caller gets the result. */
async function ended(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {})
}
