/** Wakes one waiting loop. A signal that arrives while nothing waits ends the next wait at once. */
export interface WakeSignal {
  wake(): void
  /** Resolves at the next `wake`, at the latest after `ms`. */
  wait(ms: number): Promise<void>
}

export function openWakeSignal(): WakeSignal {
  let isPending = false
  let endWait: (() => void) | null = null
  return {
    wake() {
      isPending = true
      endWait?.()
    },
    async wait(ms) {
      if (!isPending) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, ms)
          endWait = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      endWait = null
      isPending = false
    },
  }
}
