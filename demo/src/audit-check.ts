import { createHash, verify } from 'node:crypto'
import type { AuditVerification, ServiceKeys } from '@batua/contract'
import { canonical, publicKeyOf } from './signature-check.ts'

/** Whether an entry is a leaf of the tree whose root the service signed. Uses only Node, as an example. */
export function isInLog(audited: AuditVerification, document: ServiceKeys): boolean {
  const { entry, leaf_index: index, tree_size: size, checkpoint } = audited
  if (entry === null || index === null || size === null || checkpoint === null) return false
  const { hash, ...content } = entry
  if (sha256(0x00, Buffer.from(canonical(content))).toString('hex') !== hash) return false
  const siblings = audited.inclusion_proof.map(node => Buffer.from(node, 'hex'))
  const root = climb(Buffer.from(hash, 'hex'), index, size, siblings)
  return root !== null && isSignedHead(checkpoint, size, root, document)
}

/** From a leaf up to the root (RFC 9162, section 2.1.3.2); null when the proof is of the wrong length. */
function climb(leaf: Buffer, index: number, size: number, siblings: readonly Buffer[]): Buffer | null {
  let [node, place, last] = [leaf, index, size - 1]
  for (const sibling of siblings) {
    if (last === 0) return null
    const isRight = place % 2 === 1 || place === last
    node = isRight ? sha256(0x01, sibling, node) : sha256(0x01, node, sibling)
    // A node without a sibling moves up unchanged.
    while (isRight && place % 2 === 0 && place > 0) [place, last] = [half(place), half(last)]
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 ? node : null
}

/** A C2SP checkpoint: three lines, an empty one, and signatures of which one has to be by a published key. */
function isSignedHead(checkpoint: string, size: number, root: Buffer, { keys }: ServiceKeys): boolean {
  const [head = '', signatures = ''] = checkpoint.split('\n\n')
  const [, signedSize, signedRoot] = head.split('\n')
  if (signedSize !== String(size) || signedRoot !== root.toString('base64')) return false
  const text = Buffer.from(`${head}\n`)
  // After the dash: the signer's name, then four bytes that identify the key, and the signature.
  return signatures.split('\n').some(line => {
    const signature = Buffer.from(line.split(' ')[2] ?? '', 'base64').subarray(4)
    return keys.some(({ public_key }) => verify(null, text, publicKeyOf(public_key), signature))
  })
}

function half(number: number): number {
  return Math.floor(number / 2)
}

function sha256(kind: 0x00 | 0x01, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256').update(Buffer.of(kind))
  for (const part of parts) hash.update(part)
  return hash.digest()
}
