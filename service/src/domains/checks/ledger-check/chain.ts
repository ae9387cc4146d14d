/**
 * Proves that steps are one history without a gap, in whatever order they are read. Each step leads from one end, the
 * sequence number and balance before it, to another, those after it. Sequence numbers only grow. So if every end except
 * the first and the last is both the result of one step and the start of another, the steps form one line.
 */
export interface Chain {
  /** For each end, how many steps resulted in it less how many started from it; zeros are removed. */
  readonly open: Map<string, number>
  /** The condensed ends: a sum of their hashes, so that a history of any length needs little memory. */
  digest: bigint
}

/** A keyed hash of 16 bytes: without the key nobody can make the sums equal. */
export type EndHash = (end: string) => Buffer

export function newChain(): Chain {
  return { open: new Map(), digest: 0n }
}

export function addStep(chain: Chain, sequence: bigint, balance: bigint, change: bigint): void {
  count(chain, endOf(sequence, balance), 1)
  count(chain, endOf(sequence - 1n, balance - change), -1)
}

/** Adds the open ends to the digest, before the chain is stored. */
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
