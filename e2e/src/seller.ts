import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  CHALLENGE_HEADER,
  type PaymentChallenge,
  type PaymentProof,
  PROOF_HEADER,
  routes,
} from '@batua/contract'
import { openApi } from './api.ts'
import type { Agent } from './network.ts'

/** A third party's server that sells one response, by the protocol of interface section 4, Pay-per-call. */
export interface Seller {
  readonly address: string
  challengeIn(response: Response): PaymentChallenge
  /** The headers with a buyer's proof. */
  proofOf(paymentId: string, fromAgent: string, nonce: string): Record<string, string>
  close(): Promise<void>
}

export async function openSeller(
  service: string,
  agent: Agent,
  { price }: { price: string },
): Promise<Seller> {
  const api = openApi(service)

  async function isPaid(request: IncomingMessage): Promise<boolean> {
    const header = request.headers[PROOF_HEADER.toLowerCase()]
    if (typeof header !== 'string') return false
    const proof = decode(header) as PaymentProof
    const query = {
      expected_payee: agent.id,
      expected_amount: Number(price),
      nonce: proof.nonce,
      consume: true,
    }
    const params = { txn_id: proof.transactionId }
    const { verified } = await api.ok(routes.verifyTransaction, { params, query, headers: agent.headers })
    return verified
  }

  const server = createServer((request, response) => {
    void isPaid(request).then(paid => {
      if (paid) return response.end('the paid response')
      const challenge = { payTo: agent.handle, amount: price, asset: 'INR', nonce: randomUUID() }
      return response.writeHead(402, { [CHALLENGE_HEADER]: encode(challenge) }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/`,
    challengeIn: response => decode(response.headers.get(CHALLENGE_HEADER) ?? '') as PaymentChallenge,
    proofOf: (transactionId, fromAgent, nonce) => ({
      [PROOF_HEADER]: encode({ version: 1, transactionId, fromAgent, nonce }),
    }),
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function decode(header: string): unknown {
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
}
