import { hash } from 'node:crypto'

/** Two tree heads of one log, and the service's proof between them. */
export interface Growth {
  readonly from: Head
  readonly to: Head
  readonly proof: readonly string[]
}

/** The content of a checkpoint: the number of leaves, and the base64 of their root. */
export interface Head {
  readonly size: number
  readonly root: string
}

export function headOf(checkpoint: string): Head {
  const [, size = '', root = ''] = checkpoint.split('\n')
  return { size: Number(size), root }
}

/** Whether the later tree begins with the earlier one (RFC 9162, section 2.1.4.2, step by step). */
export function isConsistent({ from, to, proof }: Growth): boolean {
  if (from.size === to.size) return proof.length === 0 && from.root === to.root
  if (from.size === 0) return proof.length === 0
  const nodes = proof.map(node => Buffer.from(node, 'hex'))
  if (Number.isInteger(Math.log2(from.size))) nodes.unshift(Buffer.from(from.root, 'base64'))
  const [first, ...rest] = nodes
  if (first === undefined || from.size > to.size) return false
  let [fn, sn] = [from.size - 1, to.size - 1]
  let [fr, sr]: [Buffer, Buffer] = [first, first]
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  for (const node of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [parentOf(node, fr), parentOf(node, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)]
    } else {
      sr = parentOf(sr, node)
    }
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && fr.toString('base64') === from.root && sr.toString('base64') === to.root
}

function parentOf(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer')
}
