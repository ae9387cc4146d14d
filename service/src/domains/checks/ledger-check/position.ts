import type { Uuid } from '../../../kernel/ids.ts'
import type { SystemProof } from './system-proof.ts'
import type { WalletProof } from './wallet-proof.ts'

/** An account that is being proved in pieces: which of its transfers come next, and what those before came to. */
export type Piece =
  | { readonly kind: 'system'; readonly after: Uuid; readonly proof: SystemProof }
  | {
      readonly kind: 'wallet'
      readonly side: 'debit' | 'credit'
      readonly after: Uuid
      readonly proof: WalletProof
    }

/** How far a round of the check has come. */
export interface Position {
  /** The last account that is done. Accounts come by their ids, those of the system first. */
  readonly doneThrough: Uuid
  readonly piece: Piece | null
  readonly walletsChecked: number
  /** Behind which row with a MAC the round is, once it is done with the accounts; null: it is not. */
  readonly rows: RowsPosition | null
}

/** A table, and the last of its rows that is done. Rows come by their ids. */
export interface RowsPosition {
  readonly table: string
  readonly after: string
}

/** A piece as text, for whichever node goes on with it. */
export function pieceText(piece: Piece | null): string | null {
  return piece === null ? null : JSON.stringify(piece, (_key, value: unknown) => plain(value))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (value instanceof Set) return { set: [...value] }
  return value instanceof Map ? { map: [...value] } : value
}

export function pieceOf(text: string | null): Piece | null {
  if (text === null) return null
  const piece: Piece = JSON.parse(text, (_key, value: unknown) => revived(value))
  return piece
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('bigint' in value) return BigInt(String(value.bigint))
  if ('set' in value && Array.isArray(value.set)) return new Set(value.set)
  return 'map' in value && Array.isArray(value.map) ? new Map(value.map) : value
}
