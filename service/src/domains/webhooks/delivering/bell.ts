/** One waits until another rings, or until the time is up. A ring while nobody waits is heard by the next who does. */
export interface Bell {
  ring(): void
  wait(ms: number): Promise<void>
}

export function openBell(): Bell {
  let rung = false
  let hear: (() => void) | null = null
  return {
    ring() {
      rung = true
      hear?.()
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, ms)
          hear = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      hear = null
      rung = false
    },
  }
}
