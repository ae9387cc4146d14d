import type { TreeHead } from '@batua/verification/checkpoint'
import type { AuditContext } from './context.ts'
import { type Integrated, integrate } from './integrate.ts'
import type { QueueLimits } from './store.ts'

/** Appends queued leaves to the tree, for one process; it remembers the tree that it saw last. */
export interface Integrator {
  /** One transaction, unless another node runs one; returns how many leaves and refused rows it took from the queue. */
  step(): Promise<number>
  /** The same for a job, which runs again at once unless this returns 0: nonzero only if more rows wait. */
  keepUp(): Promise<number>
  /** Appends all leaves that wait now. Calls during a run share the next run. */
  catchUp(): Promise<void>
}

/** The batches that a request waits for; the job appends the rest. */
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
    report(result)
    if (result?.kind !== 'done') return { taken: 0, wasFull: false }
    return { taken: result.leaves + result.refused.length, wasFull: result.wasFull }
  }

  /** Logs tampering once when it is found, and again if it recurs after a good result. */
  function report(result: Integrated): void {
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
      // The current run may have read the queue before the caller's entry was in it.
      next ??= running.then(ignore, ignore).then(() => {
        next = null
        return start()
      })
      return next
    },
  }
}

const NAMED_ROWS = 10
const NOT_AS_SIGNED =
  'audit log failed verification: its tree does not match the signed checkpoint; no leaves are appended until it does'
const FORGED_ROWS =
  'audit queue rows were refused: they failed MAC verification or are in the tree already; see audit_refused'

function ignore(): void {}
