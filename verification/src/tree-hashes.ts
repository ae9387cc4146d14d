import { hash } from 'node:crypto'

/** The hashes of the Merkle tree of RFC 6962, section 2.1. */
export const HASH_BYTES = 32

/** The root of the tree without leaves: the hash of nothing. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer')

/** The hash of a leaf, in lower-case hex, begins with a zero byte, so that a leaf is never taken for an inner node. */
export function leafHash(content: string): string {
  return hash('sha256', `\0${content}`, 'hex')
}

/** The hash of an inner node has the prefix 0x01, so that it cannot be taken for a leaf. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(hash('sha256', Buffer.concat([NODE_PREFIX, left, right]), 'hex'), 'hex')
}

export const NODE_PREFIX = Buffer.of(1)
