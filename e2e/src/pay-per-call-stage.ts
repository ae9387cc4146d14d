import type { PaymentChallenge, PaymentProof } from '@batua/contract'
import { type Client, createClient } from '@batua/sdk'
import { type Headers, type Reply, request } from './api.ts'
import type { Agent } from './network.ts'
import { challengeIn, proofHeader } from './pay-per-call-wire.ts'
import { openPayingStage, type PayingStage } from './paying-stage.ts'
import type { Env } from './service.ts'
import { openStage } from './stage.ts'

/** A paying stage with a funded buyer, who buys by the protocol of the interface without the sdk. */
export interface PayPerCallStage extends PayingStage {
  readonly buyer: Agent
  /** The seller's client for the service. */
  readonly client: Client
  /** Pays the price; returns the proof. */
  pay(challenge: PaymentChallenge): Promise<PaymentProof>
  /** Requests something, pays for it, and repeats the request. */
  buy(address: string, path: string, ask?: Ask): Promise<Purchase>
}

export interface Ask {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: unknown
}

export interface Purchase {
  readonly challenge: PaymentChallenge
  readonly proof: PaymentProof
  readonly reply: Reply
}

export async function openPayPerCallStage(env?: Env): Promise<PayPerCallStage> {
  const stage = await openPayingStage(env && openStage(env))
  const { api, network, owner, payee } = stage
  const buyer = await network.fundedAgent(owner)

  async function pay({ amount, nonce }: PaymentChallenge): Promise<PaymentProof> {
    const once = { reference: nonce, unique_reference: true }
    const { payment_id } = await network.pay(buyer, payee, Number(amount), once)
    if (payment_id === null) throw new Error('the payment waits for approval')
    return { version: 1, transactionId: payment_id, fromAgent: buyer.id, nonce }
  }
  return {
    ...stage,
    buyer,
    client: createClient({ baseUrl: api.address, agentKey: payee.key }),
    pay,
    async buy(address, path, { method = 'GET', ...call } = {}) {
      const challenge = challengeIn(await request(address, method, path, call))
      const proof = await pay(challenge)
      const headers = { ...call.headers, ...proofHeader(proof) }
      return { challenge, proof, reply: await request(address, method, path, { ...call, headers }) }
    },
  }
}
