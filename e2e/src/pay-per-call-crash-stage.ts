import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PROOF_HEADER, routes } from '@batua/contract'
import { createClient, PurchaseError, payingFetch, paymentOf } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { paymentFor, requirePayment } from '@batua/sdk/node'
import type { Agent } from './network.ts'
import { openGate, type Watch } from './pay-per-call-gate.ts'
import { openPayPerCallStage } from './pay-per-call-stage.ts'
import { openShop } from './pay-per-call-till.ts'

/**
 * A step of a purchase: `begun`, `paid` and `served` are notes in the journal, `payment` is the request to the service,
 * `proof` the request to the seller, and `verification` what the seller then asks the service.
 */
export type Step =
  `${'before' | 'after'} ${'begun' | 'payment' | 'paid' | 'proof' | 'verification' | 'served'}`

/** How a purchase ended that was made again after a crash. `paymentId`: what was paid, as the buyer tells. */
export type End =
  | { readonly kind: 'served'; readonly paymentId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly paymentId: string | null }

/** Someone who buys one thing, and whose every process has the same journal. */
export interface CrashingBuyer {
  /** Begins or goes on in a process of its own, which is killed at this step. */
  crashAt(step: Step): Promise<void>
  /** The same again, in a process that lives. */
  buyAgain(): Promise<End>
  /** Every payment that the service knows of, by its nonce. */
  payments(): Promise<readonly { readonly nonce: string | null; readonly paymentId: string | null }[]>
  /** The nonces that the seller's handler ran for. */
  served(): readonly string[]
}

export interface CrashStage {
  newBuyer(): Promise<CrashingBuyer>
  close(): Promise<void>
}

const VICTIM = fileURLToPath(new URL('pay-per-call-victim.ts', import.meta.url))
/** Without it each process spends most of its short life on compiling the same modules. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/e2e-compiled', import.meta.url))
const PRICE = 2

export async function openPayPerCallCrashStage(): Promise<CrashStage> {
  const stage = await openPayPerCallStage()
  const folder = await mkdtemp(join(tmpdir(), 'pay-per-call-crashes-'))
  const served: string[] = []
  /** Answers whether the step was the buyer's last. */
  let onStep: (step: string) => Promise<boolean> = async () => false

  const watch: Watch = async (request, passing) => {
    const call = callOf(request)
    const isLast = await onStep(`${passing} ${call}`)
    // The seller goes on looking, whatever became of the buyer.
    return isLast && call !== 'verification' ? 'drop' : 'go on'
  }
  const service = await openGate(stage.api.address, watch)
  const till = {
    client: createClient({ baseUrl: service.address, agentKey: stage.payee.key }),
    payTo: stage.payee.handle,
    amount: PRICE,
  }
  const shop = await openShop(
    createServer(
      requirePayment(till, (request, response) => {
        served.push(paymentFor(request)?.nonce ?? '')
        response.end('sunny')
      }),
    ),
  )
  const seller = await openGate(shop.address, watch)

  async function crash(argv: readonly string[], wanted: Step): Promise<void> {
    const child = fork(VICTIM, argv, {
      execArgv: ['--conditions=@batua/source'],
      env: { NODE_COMPILE_CACHE: COMPILED },
    })
    const ended = new Promise<NodeJS.Signals | null>(resolve =>
      child.once('exit', (_, signal) => resolve(signal)),
    )
    onStep = async step => {
      if (step !== wanted) return false
      child.kill('SIGKILL')
      await ended
      return true
    }
    child.on('message', (step: string) => {
      void onStep(step).then(isLast => isLast || child.send('go on'))
    })
    if ((await ended) !== 'SIGKILL') throw new Error(`the buyer ended without the step ${wanted}`)
    onStep = async () => false
  }

  return {
    async newBuyer() {
      const agent = await stage.network.fundedAgent(stage.owner)
      const journal = join(folder, `${agent.handle}.jsonl`)
      const address = `${seller.address}/weather?for=${agent.handle}`
      return {
        crashAt: step => crash([service.address, agent.key, journal, address], step),
        buyAgain: () => buy(service.address, agent, journal, address),
        async payments() {
          const call = { params: { agent_id: agent.id }, headers: agent.headers, query: { limit: 100 } }
          const { payments } = await stage.api.ok(routes.listPayments, call)
          return payments.map(({ reference, payment_id }) => ({ nonce: reference, paymentId: payment_id }))
        },
        served: () => served,
      }
    },
    async close() {
      for (const opened of [seller, shop, service, stage]) await opened.close()
      await rm(folder, { recursive: true })
    },
  }
}

function callOf({ method, url = '', headers }: IncomingMessage): string {
  if (headers[PROOF_HEADER.toLowerCase()] !== undefined) return 'proof'
  if (url.includes('/verify')) return 'verification'
  return method === 'POST' && url.endsWith('/pay') ? 'payment' : 'something else'
}

async function buy(service: string, agent: Agent, path: string, address: string): Promise<End> {
  const journal = await fileJournal(path)
  const client = createClient({ baseUrl: service, agentKey: agent.key })
  try {
    const answer = await payingFetch(fetch, { client, maxAmount: 5, allowHttp: true, journal })(address)
    const text = await answer.text()
    if (text !== 'sunny') throw new Error(`${answer.status} ${text}`)
    return { kind: 'served', paymentId: paymentOf(answer)?.paymentId ?? '' }
  } catch (error) {
    if (error instanceof PurchaseError)
      return { kind: 'refused', code: error.code, paymentId: error.paymentId }
    throw error
  } finally {
    await journal.close()
  }
}
