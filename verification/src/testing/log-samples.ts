import { hash } from 'node:crypto'
import { canonical, type Signer } from './signer.ts'

const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** A log of so many entries, with the proofs as RFC 6962 defines them. */
export interface Log {
  readonly size: number
  checkpoint(size?: number): string
  entry(index: number): object
  /** The response of `GET /v1/audit/verify` for one of its entries. */
  verification(index: number): object
  consistency(from: number, to: number): { from: number; to: number; proof: string[] }
}

export function newLog(signer: Signer, size: number, entries: readonly object[] = []): Log {
  const contents = Array.from({ length: size }, (_, index) => entries[index] ?? contentOf(index))
  const leaves = contents.map(content => sha256(LEAF, Buffer.from(canonical(content))))
  const entry = (index: number) => ({ ...contents[index], hash: leaves[index]?.toString('hex') })
  const checkpoint = (count = size) =>
    signer.note(`${signer.service}/audit\n${count}\n${rootOf(leaves.slice(0, count)).toString('base64')}\n`)
  return {
    size,
    checkpoint,
    entry,
    verification: index => ({
      valid: true,
      reason: 'ok',
      entry: entry(index),
      leaf_index: index,
      tree_size: size,
      root_hash: rootOf(leaves).toString('hex'),
      inclusion_proof: pathOf(index, leaves).map(node => node.toString('hex')),
      checkpoint: checkpoint(),
    }),
    consistency: (from, to) => ({
      from,
      to,
      proof:
        from === 0 || from === to
          ? []
          : subproof(from, leaves.slice(0, to), true).map(node => node.toString('hex')),
    }),
  }
}

function contentOf(index: number): object {
  return {
    audit_id: `aud_01kb7q3f8meg5tz4x9wc2n6a0${index}`,
    agent_id: 'agt_01kb7q3f8meg5tz4x9wc2n6a01',
    actor: { type: 'agent', id: 'agt_01kb7q3f8meg5tz4x9wc2n6a01' },
    action: 'payment.completed',
    target: `pay_01kb7q3f8meg5tz4x9wc2n6a0${index}`,
    data: { amount: 400, fee: 2, note: null, reference: 'invoice-2041' },
    created_at: '2026-11-20T10:15:30.250Z',
  }
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}

/** RFC 6962, section 2.1. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves
  if (only === undefined) return sha256()
  if (leaves.length === 1) return only
  const split = splitOf(leaves.length)
  return sha256(NODE, rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

/** Section 2.1.1. */
function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const split = splitOf(leaves.length)
  return index < split
    ? [...pathOf(index, leaves.slice(0, split)), rootOf(leaves.slice(split))]
    : [...pathOf(index - split, leaves.slice(split)), rootOf(leaves.slice(0, split))]
}

/** Section 2.1.2. */
function subproof(from: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const split = splitOf(leaves.length)
  return from <= split
    ? [...subproof(from, leaves.slice(0, split), isWhole), rootOf(leaves.slice(split))]
    : [...subproof(from - split, leaves.slice(split), false), rootOf(leaves.slice(0, split))]
}

function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}
