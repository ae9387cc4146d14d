import { fork } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { PROOF_HEADER } from '@batua/contract'
import type { Decision, Watch } from './pay-per-call-proxy.ts'

/** A step of a purchase: `begun`, `paying` (the owner has to approve), `paid` and `served` are entries in the journal,
 * `payment` is the request to the service, `proof` the request to the seller, and `verification` the seller's request
 * to the service.
 */
export type Step =
  `${'before' | 'after'} ${'begun' | 'payment' | 'paying' | 'paid' | 'proof' | 'verification' | 'served'}`

/** Starts buyers and kills them at a step. `argv`: the arguments of the process. */
export interface Killer {
  /** For the proxies of the service and of the seller. */
  readonly watch: Watch
  crash(argv: readonly string[], step: Step): Promise<void>
  /** While the payment is being sent: it arrives after the next one. */
  crashPaying(argv: readonly string[]): Promise<void>
}

/** The result of a step. */
type OnStep = (step: string, request?: IncomingMessage) => Promise<Decision>

const VICTIM = fileURLToPath(new URL('pay-per-call-victim.ts', import.meta.url))
/** Without it each process spends most of its time compiling the same modules. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/e2e-compiled', import.meta.url))

export function createKiller(): Killer {
  const goOn: OnStep = async () => 'go on'
  let onStep: OnStep = goOn

  const watch: Watch = async (request, passing) => {
    const call = callOf(request)
    const decision = await onStep(`${passing} ${call}`, request)
    // The seller continues its verification, whatever happened to the buyer.
    return decision === 'drop' && call === 'verification' ? 'go on' : decision
  }

  /** `lastRequest`: the result of the request that was the last step. */
  async function crash(
    argv: readonly string[],
    wanted: Step,
    lastRequest: OnStep = async () => 'drop',
  ): Promise<void> {
    const child = fork(VICTIM, argv, {
      execArgv: ['--conditions=@batua/source'],
      env: { NODE_COMPILE_CACHE: COMPILED },
    })
    const ended = new Promise<NodeJS.Signals | null>(resolve =>
      child.once('exit', (_, signal) => resolve(signal)),
    )
    onStep = async (step, request) => {
      if (step !== wanted) return 'go on'
      child.kill('SIGKILL')
      await ended
      return lastRequest(step, request)
    }
    child.on('message', (step: string) => {
      void onStep(step).then(decision => decision === 'go on' && child.send(decision))
    })
    if ((await ended) !== 'SIGKILL') throw new Error(`the buyer ended without the step ${wanted}`)
    onStep = goOn
  }

  async function crashPaying(argv: readonly string[]): Promise<void> {
    const overtaken = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    await crash(argv, 'before payment', async () => {
      await overtaken.promise
      return 'go on alone'
    })
    const responded = [arrived, overtaken]
    onStep = async step => {
      if (step !== 'after payment') return 'go on'
      responded.pop()?.resolve()
      await arrived.promise
      return 'go on'
    }
  }

  return { watch, crash, crashPaying }
}

function callOf({ method, url = '', headers }: IncomingMessage): string {
  if (headers[PROOF_HEADER.toLowerCase()] !== undefined) return 'proof'
  if (url.includes('/verify')) return 'verification'
  return method === 'POST' && url.endsWith('/pay') ? 'payment' : 'something else'
}
