import { monotonicSeconds } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { openSender, type Sender } from './send.ts'

/** Separate connections for each platform, so that no receiver waits for another; kept open for a while after use. */
export interface Senders {
  of(platformId: Uuid): Sender
  /** The platform's worker has ended. */
  release(platformId: Uuid): void
  closeIdle(): void
  close(): Promise<void>
}

const KEPT_S = 10
/** Senders beyond this number are closed after use, to bound the open connections of the process. */
const MOST_KEPT = 1_024
const MAX_CONNECTIONS = 16

interface Kept {
  readonly sender: Sender
  /** null: in use. */
  idleSinceS: number | null
}

export function openSenders(mode: 'sandbox' | 'live'): Senders {
  const senders = new Map<Uuid, Kept>()

  function drop(platformId: Uuid, { sender }: Kept): void {
    senders.delete(platformId)
    void sender.close()
  }

  return {
    of(platformId) {
      const kept = senders.get(platformId) ?? {
        sender: openSender({ mode, maxConnections: MAX_CONNECTIONS }),
        idleSinceS: null,
      }
      kept.idleSinceS = null
      senders.set(platformId, kept)
      return kept.sender
    },
    release(platformId) {
      const kept = senders.get(platformId)
      if (kept === undefined) return
      kept.idleSinceS = monotonicSeconds()
      if (senders.size > MOST_KEPT) drop(platformId, kept)
    },
    closeIdle() {
      const nowS = monotonicSeconds()
      for (const [platformId, kept] of senders) {
        const { idleSinceS } = kept
        if (idleSinceS === null || nowS - idleSinceS < KEPT_S) continue
        drop(platformId, kept)
      }
    },
    async close() {
      await Promise.all([...senders.values()].map(({ sender }) => sender.close()))
      senders.clear()
    },
  }
}
