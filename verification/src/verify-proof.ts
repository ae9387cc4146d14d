import { EMPTY_ROOT, nodeHash } from './tree-hashes.ts'

/** A proof that a leaf is in a tree. */
export interface InclusionProof {
  readonly leaf: Buffer
  readonly index: number
  readonly size: number
  readonly proof: readonly Buffer[]
}

/** The root that the proof leads to, or null when no tree of this size has such a proof (RFC 9162, 2.1.3.2). */
export function rootOfInclusion({ leaf, index, size, proof }: InclusionProof): Buffer | null {
  if (!isSize(index) || !isSize(size) || index >= size) return null
  let [node, last, root] = [index, size - 1, leaf]
  for (const sibling of proof) {
    if (last === 0) return null
    if (isOdd(node) || node === last) {
      root = nodeHash(sibling, root)
      // A node without a sibling is unchanged on the level above.
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      root = nodeHash(root, sibling)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? root : null
}

/** Whether the tree with this root has the leaf at this index. */
export function verifyInclusion(proof: InclusionProof, root: Buffer): boolean {
  return rootOfInclusion(proof)?.equals(root) ?? false
}

/** A proof that a tree only grew. */
export interface ConsistencyProof {
  readonly from: number
  readonly to: number
  readonly fromRoot: Buffer
  readonly toRoot: Buffer
  readonly proof: readonly Buffer[]
}

/** Whether the later tree has all leaves of the earlier one at the same indexes (RFC 9162, 2.1.4.2). */
export function verifyConsistency({ from, to, fromRoot, toRoot, proof }: ConsistencyProof): boolean {
  if (!isSize(from) || !isSize(to) || from > to) return false
  if (from === to) return proof.length === 0 && fromRoot.equals(toRoot)
  if (from === 0) return proof.length === 0 && fromRoot.equals(EMPTY_ROOT)
  const [first, ...rest] = isPowerOfTwo(from) ? [fromRoot, ...proof] : proof
  if (first === undefined) return false
  let [node, last] = [from - 1, to - 1]
  while (isOdd(node)) [node, last] = [half(node), half(last)]
  let [earlier, later] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      earlier = nodeHash(sibling, earlier)
      later = nodeHash(sibling, later)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      later = nodeHash(later, sibling)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && earlier.equals(fromRoot) && later.equals(toRoot)
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Sizes may exceed 32 bits, the limit of the bit operators. */
function isOdd(value: number): boolean {
  return value % 2 === 1
}

function half(value: number): number {
  return Math.floor(value / 2)
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value))
}
