import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient, PurchaseError, payingFetch, paymentOf } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { paymentFor, requirePayment } from '@batua/sdk/node'
import type { Agent, Network } from './network.ts'
import { createKiller, type Step } from './pay-per-call-killer.ts'
import { openProxy } from './pay-per-call-proxy.ts'
import { openShop } from './pay-per-call-shop.ts'
import { openPayPerCallStage, type PayPerCallStage } from './pay-per-call-stage.ts'

/** The result of a purchase that was repeated after a crash. `paymentId`: the payment, as the buyer reports it. */
export type End =
  | { readonly kind: 'served'; readonly paymentId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly paymentId: string | null }

interface PaymentOfBuyer {
  readonly nonce: string | null
  readonly paymentId: string | null
  readonly isGivenBack: boolean
}

/** A buyer of one thing, whose processes share a journal. */
export interface CrashingBuyer {
  /** Starts or continues in a separate process, which is killed at this step. */
  crashAt(step: Step): Promise<void>
  /** The same while the payment is being sent: it arrives after the next one. */
  crashPaying(): Promise<void>
  /** The owner approves the waiting payment. */
  approve(): Promise<void>
  /** The same again, in a process that is not killed. */
  buyAgain(): Promise<End>
  /** Every payment of the service, by its nonce. */
  payments(): Promise<readonly PaymentOfBuyer[]>
  /** The nonces for which the seller's handler ran. */
  served(): readonly string[]
}

export interface CrashStage {
  newBuyer(extras?: Parameters<Network['fundedAgent']>[1]): Promise<CrashingBuyer>
  close(): Promise<void>
}

const PRICE = 2

export async function openPayPerCallCrashStage(): Promise<CrashStage> {
  const stage = await openPayPerCallStage()
  const folder = await mkdtemp(join(tmpdir(), 'pay-per-call-crashes-'))
  const served: string[] = []
  const killer = createKiller()
  const service = await openProxy(stage.api.address, killer.watch)
  const selling = {
    client: createClient({ baseUrl: service.address, agentKey: stage.payee.key }),
    payTo: stage.payee.handle,
    amount: PRICE,
  }
  const shop = await openShop(
    createServer(
      requirePayment(selling, (request, response) => {
        served.push(paymentFor(request)?.nonce ?? '')
        response.end('sunny')
      }),
    ),
  )
  const seller = await openProxy(shop.address, killer.watch)

  return {
    async newBuyer(extras) {
      const agent = await stage.network.fundedAgent(stage.owner, extras)
      const journal = join(folder, `${agent.handle}.jsonl`)
      const address = `${seller.address}/weather?for=${agent.handle}`
      const argv = [service.address, agent.key, journal, address]
      return {
        crashAt: step => killer.crash(argv, step),
        crashPaying: () => killer.crashPaying(argv),
        approve: () => approveAll(stage, agent),
        buyAgain: () => buy(service.address, agent, journal, address),
        payments: () => paymentsOf(stage, agent),
        served: () => served,
      }
    },
    async close() {
      for (const opened of [seller, shop, service, stage]) await opened.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function approveAll({ api, network, owner }: PayPerCallStage, agent: Agent): Promise<void> {
  const headers = await network.login(owner)
  const { approvals } = await api.ok(routes.listApprovals, { headers, query: { agent_id: agent.id } })
  for (const { approval_id } of approvals) await api.ok(routes.approve, { headers, params: { approval_id } })
}

async function paymentsOf({ api }: PayPerCallStage, agent: Agent): Promise<PaymentOfBuyer[]> {
  const call = { params: { agent_id: agent.id }, headers: agent.headers, query: { limit: 100 } }
  const { payments } = await api.ok(routes.listPayments, call)
  return payments.map(({ reference, payment_id, amount, refunded_total }) => ({
    nonce: reference,
    paymentId: payment_id,
    isGivenBack: refunded_total === amount,
  }))
}

async function buy(service: string, agent: Agent, path: string, address: string): Promise<End> {
  const journal = await fileJournal(path)
  const client = createClient({ baseUrl: service, agentKey: agent.key })
  try {
    const response = await payingFetch(fetch, { client, maxAmount: 5, allowHttp: true, journal })(address)
    const text = await response.text()
    if (text !== 'sunny') throw new Error(`${response.status} ${text}`)
    return { kind: 'served', paymentId: paymentOf(response)?.paymentId ?? '' }
  } catch (error) {
    if (error instanceof PurchaseError)
      return { kind: 'refused', code: error.code, paymentId: error.paymentId }
    throw error
  } finally {
    await journal.close()
  }
}
