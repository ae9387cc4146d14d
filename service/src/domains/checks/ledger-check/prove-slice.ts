import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuine, isSystemAccount, SYSTEM } from '../../../ledger/index.ts'
import { condense, type EndHash } from './chain.ts'
import type { IntegrityContext } from './context.ts'
import type { Piece, Position, RowsPosition } from './position.ts'
import { firstRows, proveRows } from './prove-rows.ts'
import {
  type AccountFigures,
  selectAccounts,
  selectCredits,
  selectCreditsAfter,
  selectDebits,
  selectDebitsAfter,
  selectTotalSpent,
} from './sides-store.ts'
import { selectFoldedDebits } from './sums-store.ts'
import { addSystemDebit, beginSystemProof, concludeSystem } from './system-proof.ts'
import { addCredit, addDebit, beginProof, conclude, type Fault } from './wallet-proof.ts'

/** How much one slice reads at the most: sides of transfers, and wallets or rows with MACs. */
export interface SliceLimits {
  readonly rows: number
  readonly wallets: number
}

export interface Slice {
  readonly position: Position
  /** Accounts that were proved to the end, and what is wrong with them. */
  readonly checked: readonly Uuid[]
  readonly faults: readonly Fault[]
  /** Nothing is left in this round. */
  readonly isAtEnd: boolean
}

/** What proofs are made with beside the book. */
type ProofContext = Pick<IntegrityContext, 'vault' | 'findAlteredAgents' | 'tables'>

interface Walk {
  readonly tx: Queryable
  readonly vault: Vault
  readonly hash: EndHash
  readonly limits: SliceLimits
  rowsLeft: number
  walletsLeft: number
  position: Position
  readonly checked: Uuid[]
  readonly faults: Fault[]
}

/**
 * Proves the accounts behind a position, then the rows that have MACs, in the snapshot of `tx`, until so much was read or
 * none is left.
 */
export async function proveSlice(
  tx: Queryable,
  context: ProofContext,
  position: Position,
  limits: SliceLimits,
): Promise<Slice> {
  const { vault } = context
  const hash: EndHash = end => vault.mac(`end of a step: ${end}`)
  const found = { position, checked: [], faults: [] }
  const left = { rowsLeft: limits.rows, walletsLeft: limits.wallets }
  const walk: Walk = { tx, vault, hash, limits, ...found, ...left }
  let isAtEnd = false
  while (walk.rowsLeft > 0 && walk.walletsLeft > 0 && !isAtEnd) {
    const { piece, rows } = walk.position
    if (rows !== null) isAtEnd = !(await proveNextRows(walk, context, rows))
    else if (piece === null) isAtEnd = !(await proveNext(walk)) && !beginRows(walk, context)
    else if (piece.kind === 'system') await proveSystemPiece(walk, piece)
    else await proveWalletPiece(walk, piece)
    // Requests that came in meanwhile go first.
    await nextTurn()
  }
  const { position: reached, checked, faults } = walk
  await proveAgents(walk, context)
  if (reached.piece?.kind === 'wallet') condense(reached.piece.proof.chain, hash)
  return { position: reached, checked, faults, isAtEnd }
}

/** That whoever the wallets belong to is still who it was created as. */
async function proveAgents({ tx, vault, checked, faults }: Walk, context: ProofContext): Promise<void> {
  const wallets = checked.filter(id => !isSystemAccount(id))
  if (wallets.length === 0) return
  for (const subject of await context.findAlteredAgents(tx, vault, wallets)) {
    faults.push({ subject, kind: 'altered_agent', detail: 'it is not who it was created as' })
  }
}

/** Goes over from the accounts to the rows; false where no table has any. */
function beginRows(walk: Walk, { tables }: ProofContext): boolean {
  walk.position = { ...walk.position, rows: firstRows(tables) }
  return walk.position.rows !== null
}

/** Proves the rows that come next; false when those were the last. */
async function proveNextRows(walk: Walk, { tables }: ProofContext, position: RowsPosition): Promise<boolean> {
  const { tx, vault, walletsLeft: limit } = walk
  const { count, faults, next } = await proveRows(tx, vault, tables, { position, limit })
  walk.faults.push(...faults)
  walk.walletsLeft -= count
  // At the end the position stays, should the round not end with this slice.
  if (next !== null) walk.position = { ...walk.position, rows: next }
  return next !== null
}

const SYSTEM_IDS = Object.values(SYSTEM).toSorted()

/** Takes the accounts that come next; false when there are none. */
async function proveNext(walk: Walk): Promise<boolean> {
  const { doneThrough } = walk.position
  const system = SYSTEM_IDS.find(id => id > doneThrough)
  if (system !== undefined) {
    const proof = beginSystemProof(system, await selectFoldedDebits(walk.tx, system))
    goOn(walk, { kind: 'system', after: FIRST_UUID, proof })
    return true
  }
  const accounts = await selectAccounts(walk.tx, doneThrough, walk.walletsLeft)
  const [first] = accounts
  if (first === undefined) return false
  const fitting = thoseThatFit(accounts, walk.rowsLeft)
  if (fitting.length > 0 && (await proveWallets(walk, fitting))) return true
  // The rest of this slice may be too little for a wallet that fits into a whole one.
  if (walk.rowsLeft < walk.limits.rows && first.sequence <= BigInt(walk.limits.rows)) walk.rowsLeft = 0
  else goOn(walk, { kind: 'wallet', side: 'debit', after: FIRST_UUID, proof: beginProof(first) })
  return true
}

function goOn(walk: Walk, piece: Piece): void {
  walk.position = { ...walk.position, piece }
}

/** The first accounts whose transfers are so few together, by their own count. */
function thoseThatFit(accounts: readonly AccountFigures[], rows: number): AccountFigures[] {
  let transfers = 0n
  const tooMany = accounts.findIndex(({ sequence }) => (transfers += sequence) > BigInt(rows))
  return tooMany < 0 ? [...accounts] : accounts.slice(0, tooMany)
}

/** Proves whole wallets; false when they have more transfers than they say, and must be proved one by one. */
async function proveWallets(walk: Walk, accounts: readonly AccountFigures[]): Promise<boolean> {
  const { tx, vault, limits, hash } = walk
  const proofs = new Map(accounts.map(account => [account.id, beginProof(account)]))
  const ids = [...proofs.keys()]
  const debits = await selectDebits(tx, ids, limits.rows + 1)
  const credits = await selectCredits(tx, ids, limits.rows + 1)
  if (debits.length > limits.rows || credits.length > limits.rows) return false
  for (const row of debits) {
    const proof = proofs.get(row.debitAccount)
    if (proof !== undefined) addDebit(proof, row, isGenuine(vault, row))
  }
  for (const row of credits) {
    const proof = proofs.get(row.creditAccount)
    if (proof !== undefined) addCredit(proof, row)
  }
  for (const proof of proofs.values()) {
    finish(walk, proof.account.id, conclude(proof, proof.account.totalSpentPaise, hash))
  }
  walk.rowsLeft -= debits.length + credits.length
  walk.walletsLeft -= accounts.length
  walk.position = { ...walk.position, walletsChecked: walk.position.walletsChecked + accounts.length }
  return true
}

function finish(walk: Walk, account: Uuid, faults: readonly Fault[]): void {
  walk.position = { ...walk.position, doneThrough: account, piece: null }
  walk.checked.push(account)
  walk.faults.push(...faults)
}

async function proveSystemPiece(walk: Walk, piece: Extract<Piece, { kind: 'system' }>): Promise<void> {
  const { proof, after } = piece
  const limit = walk.rowsLeft
  const rows = await selectDebitsAfter(walk.tx, proof.account, after, limit)
  for (const row of rows) addSystemDebit(proof, row, isGenuine(walk.vault, row))
  walk.rowsLeft -= rows.length
  if (rows.length < limit) finish(walk, proof.account, concludeSystem(proof))
  else goOn(walk, { ...piece, after: rows.at(-1)?.id ?? after })
}

async function proveWalletPiece(walk: Walk, piece: Extract<Piece, { kind: 'wallet' }>): Promise<void> {
  const { proof, after, side } = piece
  const limit = walk.rowsLeft
  const last = await addSide(walk, piece, limit)
  if (last.count === limit) {
    goOn(walk, { ...piece, after: last.id ?? after })
  } else if (side === 'debit') {
    goOn(walk, { ...piece, side: 'credit', after: FIRST_UUID })
  } else {
    const { id } = proof.account
    const spentNow = await selectTotalSpent(walk.tx, id)
    finish(walk, id, conclude(proof, spentNow ?? -1n, walk.hash))
    walk.walletsLeft--
    walk.position = { ...walk.position, walletsChecked: walk.position.walletsChecked + 1 }
  }
}

async function addSide(
  walk: Walk,
  { proof, side, after }: Extract<Piece, { kind: 'wallet' }>,
  limit: number,
): Promise<{ count: number; id: Uuid | undefined }> {
  const { tx, vault } = walk
  const { id } = proof.account
  if (side === 'debit') {
    const rows = await selectDebitsAfter(tx, id, after, limit)
    for (const row of rows) addDebit(proof, row, isGenuine(vault, row))
    walk.rowsLeft -= rows.length
    return { count: rows.length, id: rows.at(-1)?.id }
  }
  const rows = await selectCreditsAfter(tx, id, after, limit)
  for (const row of rows) addCredit(proof, row)
  walk.rowsLeft -= rows.length
  return { count: rows.length, id: rows.at(-1)?.id }
}
