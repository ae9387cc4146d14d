import type { LockedRows } from '../db/locked-rows.ts'
import { monotonicSeconds } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'

type Test = (id: Uuid) => boolean

/** The accounts whose commands wait because a change in this process has locked them, and since when. */
export interface PassedOver {
  /** A test for accounts that are being changed; it records each match. null: there is no change. */
  inChange(): Test | null
  /** A test for accounts whose commands have waited too long; null: there is none. */
  overdue(): Test | null
  /** Call it when no command waits for a change of these accounts any more. */
  taken(accounts: readonly Uuid[]): void
  close(): void
}

/**
 * Calls `wake` after each change, and after `maxSeconds` in case the change hangs or further changes follow at once.
 */
export function openPassedOver(changing: LockedRows, maxSeconds: number, wake: () => void): PassedOver {
  const since = new Map<Uuid, number>()
  const stopListening = changing.onReleased(wake)
  let timer: NodeJS.Timeout | null = null

  function isInChange(id: Uuid): boolean {
    if (!changing.has(id)) return false
    if (!since.has(id)) since.set(id, monotonicSeconds())
    timer ??= setTimeout(() => {
      timer = null
      wake()
    }, maxSeconds * 1000)
    return true
  }

  function isOverdue(id: Uuid): boolean {
    const from = since.get(id)
    return from !== undefined && changing.has(id) && monotonicSeconds() - from >= maxSeconds
  }
  return {
    inChange: () => (changing.size === 0 ? null : isInChange),
    overdue: () => (since.size === 0 ? null : isOverdue),
    taken(accounts) {
      if (since.size > 0) for (const id of accounts) since.delete(id)
    },
    close() {
      stopListening()
      clearTimeout(timer ?? undefined)
    },
  }
}
