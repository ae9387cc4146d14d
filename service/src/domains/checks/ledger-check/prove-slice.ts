import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuine, isSystemAccount, SYSTEM } from '../../../ledger/index.ts'
import type { Finding } from '../../../operations/scan.ts'
import type { LedgerCheckContext } from '../context.ts'
import {
  addCredit,
  addDebit,
  addSystemDebit,
  beginProof,
  beginSystemProof,
  conclude,
  concludeSystem,
  type SystemProof,
  type WalletProof,
} from './account-proof.ts'
import { condense, type EndHash } from './chain.ts'
import { firstRows, proveRows, type RowsPosition } from './prove-rows.ts'
import {
  type AccountFigures,
  selectAccounts,
  selectCredits,
  selectCreditsAfter,
  selectDebits,
  selectDebitsAfter,
  selectFoldedDebits,
  selectTotalSpent,
} from './store.ts'

/** How far a round of the check is. */
export interface Position {
  /** The last account that was proved to the end. Accounts come by their ids, those of the system first. */
  readonly doneThrough: Uuid
  readonly piece: Piece | null
  readonly walletsChecked: number
  /** The last row with a MAC that was proved, once all accounts are; null: they are not. */
  readonly rows: RowsPosition | null
}

export const BEGINNING: Position = { doneThrough: FIRST_UUID, piece: null, walletsChecked: 0, rows: null }

/** An account that is proved in pieces: which of its transfers are next, and the proof so far. */
export type Piece =
  | { readonly kind: 'system'; readonly after: Uuid; readonly proof: SystemProof }
  | {
      readonly kind: 'wallet'
      readonly side: 'debit' | 'credit'
      readonly after: Uuid
      readonly proof: WalletProof
    }

/** The bounds of one slice: debits and credits, and wallets or rows with MACs. */
export interface SliceLimits {
  readonly rows: number
  readonly wallets: number
}

export interface ProvenSlice {
  readonly position: Position
  readonly faults: readonly Finding[]
  /** Nothing is left in this round. */
  readonly isAtEnd: boolean
}

type ProofContext = Pick<LedgerCheckContext, 'vault' | 'findAlteredAgents' | 'tables'>

interface Walk {
  readonly tx: Queryable
  readonly vault: Vault
  readonly hash: EndHash
  readonly limits: SliceLimits
  rowsLeft: number
  walletsLeft: number
  position: Position
  readonly checked: Uuid[]
  readonly faults: Finding[]
}

/**
 * Proves the accounts after a position, then the rows that have MACs, in the snapshot of `tx`, until a limit is reached or
 * nothing is left.
 */
export async function proveSlice(
  tx: Queryable,
  context: ProofContext,
  position: Position,
  limits: SliceLimits,
): Promise<ProvenSlice> {
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
    // Yields to waiting requests.
    await nextTurn()
  }
  const { position: reached, faults } = walk
  await proveAgents(walk, context)
  if (reached.piece?.kind === 'wallet') condense(reached.piece.proof.chain, hash)
  return { position: reached, faults, isAtEnd }
}

/** Proves that the agents of the wallets have the identities that they were created with. */
async function proveAgents({ tx, vault, checked, faults }: Walk, context: ProofContext): Promise<void> {
  const wallets = checked.filter(id => !isSystemAccount(id))
  if (wallets.length === 0) return
  for (const subject of await context.findAlteredAgents(tx, vault, wallets)) {
    faults.push({ subject, kind: 'altered_agent', detail: 'it is not who it was created as' })
  }
}

/** Continues with the rows after the last account; false if there is no table. */
function beginRows(walk: Walk, { tables }: ProofContext): boolean {
  walk.position = { ...walk.position, rows: firstRows(tables) }
  return walk.position.rows !== null
}

/** Proves the next rows; false if those were the last. */
async function proveNextRows(walk: Walk, { tables }: ProofContext, position: RowsPosition): Promise<boolean> {
  const { tx, vault, walletsLeft: limit } = walk
  const { count, faults, next } = await proveRows(tx, vault, tables, { position, limit })
  walk.faults.push(...faults)
  walk.walletsLeft -= count
  // At the end the position stays, in case the round does not end with this slice.
  if (next !== null) walk.position = { ...walk.position, rows: next }
  return next !== null
}

const SYSTEM_IDS = Object.values(SYSTEM).toSorted()

/** Proves the next accounts, or begins to prove one in pieces; false if none is left. */
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
  // A wallet that does not fit into the rest of this slice may fit into a whole one.
  if (walk.rowsLeft < walk.limits.rows && first.sequence <= BigInt(walk.limits.rows)) walk.rowsLeft = 0
  else goOn(walk, { kind: 'wallet', side: 'debit', after: FIRST_UUID, proof: beginProof(first) })
  return true
}

function goOn(walk: Walk, piece: Piece): void {
  walk.position = { ...walk.position, piece }
}

/** The first accounts that have at most so many transfers together, by their own counts. */
function thoseThatFit(accounts: readonly AccountFigures[], rows: number): AccountFigures[] {
  let transfers = 0n
  const tooMany = accounts.findIndex(({ sequence }) => (transfers += sequence) > BigInt(rows))
  return tooMany < 0 ? [...accounts] : accounts.slice(0, tooMany)
}

/** Proves whole wallets; false if they have more transfers than they count, and must be proved one by one. */
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

function finish(walk: Walk, account: Uuid, faults: readonly Finding[]): void {
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
