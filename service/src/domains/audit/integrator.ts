import type { TreeHead } from './checkpoint.ts'
import type { AuditContext } from './context.ts'
import { type Integrated, integrate } from './integrate.ts'
import type { QueueLimits } from './queue-store.ts'

/** One process's part in integrating, with what it remembers of the tree. */
export interface Integrator {
  /** One transaction, unless another node is at it; tells how many leaves and bad rows it took from the queue. */
  step(): Promise<number>
  /** The same for a job, which comes back at once unless it hears 0: only when more waits than one transaction takes. */
  keepUp(): Promise<number>
  /** Puts what waits now into the tree. Whoever asks meanwhile shares the next run. */
  catchUp(): Promise<void>
}

/** So many batches for one reader; what still waits then is for the job. */
const MAX_BATCHES = 10

export function openIntegrator(context: AuditContext, limits?: QueueLimits): Integrator {
  let lastSeen: TreeHead | null = null
  let wasTampered = false
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function run(waits: boolean): Promise<{ readonly taken: number; readonly wasFull: boolean }> {
    const options = { waits, lastSeen, ...(limits && { limits }) }
    const result = await integrate(context, context.clock.now(), options)
    if (result?.kind === 'done') lastSeen = result.head
    tell(result)
    if (result?.kind !== 'done') return { taken: 0, wasFull: false }
    return { taken: result.leaves + result.refused.length, wasFull: result.wasFull }
  }

  /** Once when it is found, and again after it was right in between. */
  function tell(result: Integrated): void {
    if (result === null) return
    const isTampered = result.kind === 'tampered'
    if (isTampered && !wasTampered) context.logger.error({ lastSeen: lastSeen?.size ?? null }, NOT_AS_SIGNED)
    wasTampered = isTampered
    if (result.kind === 'done' && result.refused.length > 0)
      context.logger.error(
        { rows: result.refused.length, first: result.refused.slice(0, NAMED_ROWS) },
        FORGED_ROWS,
      )
  }

  async function drain(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && (await run(true)).wasFull; batch++);
  }

  function start(): Promise<void> {
    running = drain().finally(() => {
      running = null
    })
    return running
  }

  return {
    step: async () => (await run(false)).taken,
    async keepUp() {
      const { taken, wasFull } = await run(false)
      return wasFull ? taken : 0
    },
    catchUp() {
      if (running === null) return start()
      // The run under way may have looked before what is asked for was there.
      next ??= running.then(ignore, ignore).then(() => {
        next = null
        return start()
      })
      return next
    },
  }
}

const NAMED_ROWS = 10
const NOT_AS_SIGNED = 'the audit log is not as it was signed; nothing is put into it until it is'
const FORGED_ROWS =
  'rows of the audit queue are not as the service wrote them, or were integrated before; they were put aside'

function ignore(): void {}
