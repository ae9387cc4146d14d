import { CHALLENGE_HEADER, PaymentChallenge, type PaymentProof, PROOF_HEADER } from '@batua/contract'
import type { Headers, Reply } from './api.ts'
import { schemaFaultOf } from './responses.ts'

/** The challenge of a 402, parsed by the interface without the sdk and checked against the contract. */
export function challengeIn(reply: Reply): PaymentChallenge {
  if (reply.status !== 402) throw new Error(`expected 402, got ${reply.status} ${reply.text}`)
  const challenge = fromBase64(reply.headers.get(CHALLENGE_HEADER) ?? '')
  const fault = schemaFaultOf('PaymentChallenge', PaymentChallenge, challenge)
  if (fault !== null) throw new Error(fault)
  return challenge as PaymentChallenge
}

/** The reason of a 402 to a request with a proof; undefined if it has none. */
export function reasonIn(reply: Reply): unknown {
  if (reply.status !== 402) throw new Error(`expected 402, got ${reply.status} ${reply.text}`)
  const { error } = reply.body as { readonly error: { readonly details?: { readonly reason?: string } } }
  return error.details?.reason
}

/** The header with a buyer's proof. */
export function proofHeader(proof: PaymentProof): Headers {
  return { [PROOF_HEADER]: toBase64(proof) }
}

export function toBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function fromBase64(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
}
