/**
 * Whether steps make one unbroken history, in whatever order they are seen. Each step leads from one end, the sequence
 * and balance before it, to another, those after it. Sequences only grow, so if every end but the first and the last is
 * both arrived at and left, all steps stand in one line from the one to the other, without a gap.
 */
export interface Chain {
  /** Ends by how often they were arrived at, less how often left. What is zero is gone. */
  readonly open: Map<string, number>
  /** The ends that were put away: a sum of their hashes, so that a history of any length needs little memory. */
  digest: bigint
}

/** A keyed hash of 16 bytes: who cannot make one cannot make sums of them agree. */
export type EndHash = (end: string) => Buffer

export function newChain(): Chain {
  return { open: new Map(), digest: 0n }
}

export function addStep(chain: Chain, sequence: bigint, balance: bigint, change: bigint): void {
  count(chain, endOf(sequence, balance), 1)
  count(chain, endOf(sequence - 1n, balance - change), -1)
}

/** Puts the open ends away, before the chain is kept for later. */
export function condense(chain: Chain, hash: EndHash): void {
  for (const [end, times] of chain.open) add(chain, end, times, hash)
  chain.open.clear()
}

/** Whether the steps lead from an empty account to this sequence and balance. */
export function leadsTo(chain: Chain, sequence: bigint, balance: bigint, hash: EndHash): boolean {
  count(chain, endOf(sequence, balance), -1)
  count(chain, endOf(0n, 0n), 1)
  condense(chain, hash)
  return chain.digest === 0n
}

function endOf(sequence: bigint, balance: bigint): string {
  return `${sequence} ${balance}`
}

function count({ open }: Chain, end: string, times: number): void {
  const sum = (open.get(end) ?? 0) + times
  if (sum === 0) open.delete(end)
  else open.set(end, sum)
}

function add(chain: Chain, end: string, times: number, hash: EndHash): void {
  const value = BigInt(`0x${hash(end).toString('hex')}`)
  chain.digest = BigInt.asUintN(HASH_BITS, chain.digest + BigInt(times) * value)
}

const HASH_BITS = 128
