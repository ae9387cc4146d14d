import { createHash } from 'node:crypto'

/**
 * RFC 6962, section 2.1, implemented literally, by recursion over the list of leaf hashes: the reference for the tiles.
 * It shares no code with them.
 */
export function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) return createHash('sha256').digest()
  if (leaves.length === 1) return first
  const split = splitOf(leaves.length)
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(naiveRoot(leaves.slice(0, split)))
    .update(naiveRoot(leaves.slice(split)))
    .digest()
}

/** PATH(m, D[n]). */
export function naiveInclusion(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return []
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split
    ? [...naiveInclusion(index, left), naiveRoot(right)]
    : [...naiveInclusion(index - split, right), naiveRoot(left)]
}

/** PROOF(m, D[n]). */
export function naiveConsistency(from: number, leaves: readonly Buffer[]): Buffer[] {
  return from === 0 ? [] : subProof(from, leaves, true)
}

function subProof(from: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [naiveRoot(leaves)]
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return from <= split
    ? [...subProof(from, left, isWhole), naiveRoot(right)]
    : [...subProof(from - split, right, false), naiveRoot(left)]
}

function splitOf(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1))
}
