import { CHALLENGE_HEADER, PaymentChallenge, type PaymentProof, PROOF_HEADER } from '@batua/contract'
import { schemaFaultOf } from './answers.ts'
import type { Headers, Reply } from './api.ts'

/** What a 402 asks for, read by hand as the interface writes it and checked against the contract. */
export function challengeIn(reply: Reply): PaymentChallenge {
  if (reply.status !== 402) throw new Error(`expected 402, got ${reply.status} ${reply.text}`)
  const challenge = fromBase64(reply.headers.get(CHALLENGE_HEADER) ?? '')
  const fault = schemaFaultOf('PaymentChallenge', PaymentChallenge, challenge)
  if (fault !== null) throw new Error(fault)
  return challenge as PaymentChallenge
}

/** Why a 402 was given to a request that had a proof; undefined when it says nothing of it. */
export function reasonIn(reply: Reply): unknown {
  if (reply.status !== 402) throw new Error(`expected 402, got ${reply.status} ${reply.text}`)
  const { error } = reply.body as { readonly error: { readonly details?: { readonly reason?: string } } }
  return error.details?.reason
}

/** The header with which a buyer shows that it has paid. */
export function proofHeader(proof: PaymentProof): Headers {
  return { [PROOF_HEADER]: toBase64(proof) }
}

export function toBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function fromBase64(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
}
