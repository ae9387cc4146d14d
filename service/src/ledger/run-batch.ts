import type { Queryable } from '../db/database.ts'
import { AlteredRow } from '../db/row-mac.ts'
import { errorOf, type Refusal } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { AccountProofs, PendingProofs } from './account-proof.ts'
import { type Account, lockBatch, updateBatch } from './accounts.ts'
import type { Entry } from './command.ts'
import { LedgerBatch, type Read, type Reader } from './ledger-batch.ts'
import { traceTransfers } from './traced-payments.ts'
import { insertBatch } from './transfers.ts'

/** The outcome of each entry of a batch. Callers get it only after the commit. */
export interface Decided {
  readonly batch: LedgerBatch
  readonly outcomes: readonly Outcome[]
}

type Outcome = { ok: object } | { refused: Refusal } | { failed: unknown }

const NO_FACTS: readonly (readonly [unknown, unknown])[] = []

/**
 * Opens the transaction, locks the batch's accounts in order of their ids, and reads its facts: one round
 * trip. Each statement sees what was committed before the locks were granted, and no transaction that takes the same
 * locks changes it before this one ends.
 */
export async function readBatch(
  tx: Queryable,
  commands: readonly Entry[],
  { clock, vault, proofs }: { readonly clock: Clock; readonly vault: Vault; readonly proofs: AccountProofs },
): Promise<LedgerBatch> {
  const ids = accountsOf(commands).toSorted()
  const reads = collect(commands.flatMap(entry => entry.command.reads))
  const askedMs = clock.now().getTime()
  const begun = tx.query('begin')
  const accounts = lockBatch(tx, ids)
  const pending = proofs.read(tx, ids)
  const facts = reads.map(async ([reader, keys]) => reader.load(tx, keys, askedMs, vault))
  await allEnded([begun, accounts, ...pending.statements, ...facts])
  const batch = await openBatch(await accounts, pending, { clock, vault })
  for (const [index, [reader]] of reads.entries()) batch.setAll(reader, (await facts[index]) ?? NO_FACTS)
  const decidable =
    batch.altered === null ? commands : commands.filter(entry => alteredOf(entry, batch) === undefined)
  const phases = Math.max(0, ...decidable.map(entry => entry.command.phases?.length ?? 0))
  for (let phase = 0; phase < phases; phase++) {
    const needed = collect(decidable.flatMap(entry => entry.command.phases?.[phase]?.(batch) ?? []))
    await readMore(tx, needed, batch, vault)
  }
  return batch
}

/** Makes the batch of the genuine accounts. It uses nothing of the others, not even their times. */
async function openBatch(
  accounts: Map<Uuid, Account>,
  pending: PendingProofs,
  { clock, vault }: { readonly clock: Clock; readonly vault: Vault },
): Promise<LedgerBatch> {
  const altered = await pending.check(accounts)
  for (const [id, why] of altered ?? []) {
    vault.onAltered('accounts', id, why)
    accounts.delete(id)
  }
  return new LedgerBatch(accounts, clock.now().getTime(), altered)
}

/** The first account of a command that failed verification. */
function alteredOf({ command }: Entry, batch: LedgerBatch): Uuid | undefined {
  return command.accounts.find(id => batch.altered?.has(id))
}

async function readMore(
  tx: Queryable,
  reads: readonly GroupedReads[],
  batch: LedgerBatch,
  vault: Vault,
): Promise<void> {
  if (reads.length === 0) return
  const facts = reads.map(async ([reader, keys]) => reader.load(tx, keys, batch.nowMs, vault))
  await allEnded(facts)
  for (const [index, [reader]] of reads.entries()) batch.setAll(reader, (await facts[index]) ?? NO_FACTS)
}

/** Decides the commands one after the other. Each sees what the earlier ones posted. */
export function decideAll(commands: readonly Entry[], batch: LedgerBatch): Decided {
  return { batch, outcomes: commands.map(entry => decideOne(entry, batch)) }
}

function decideOne(entry: Entry, batch: LedgerBatch): Outcome {
  const { command } = entry
  const altered = batch.altered === null ? undefined : alteredOf(entry, batch)
  if (altered !== undefined) {
    return { failed: new AlteredRow('accounts', altered, batch.altered?.get(altered) ?? '') }
  }
  const transfers = batch.transfers.length
  const left = batch.leftToWrite()
  try {
    const decision = command.decide(batch)
    if (!isRefusal(decision)) {
      if (entry.trace !== null) traceTransfers(batch, transfers, entry.trace.request)
      return { ok: decision }
    }
    if (batch.transfers.length !== transfers)
      throw new Error('assertion failed: a refused command posts nothing')
    return { refused: decision }
  } catch (error) {
    // An error before anything was posted or written concerns this command alone. A later one makes the batch unusable.
    if (batch.leftToWrite() !== left) throw error
    return { failed: error }
  }
}

function isRefusal(decision: object): decision is Refusal {
  return 'kind' in decision && decision.kind === 'refusal'
}

/** The statements of a batch that was read under its locks. */
export function updateAccounts(tx: Queryable, batch: LedgerBatch): Promise<unknown>[] {
  const changed = batch.changedAccounts()
  return changed.length > 0 ? [updateBatch(tx, changed)] : []
}

/**
 * Writes everything that the batch changed and commits, in one round trip. `statements` were issued before: those that
 * update the accounts.
 */
export async function writeBatch(
  tx: Queryable,
  batch: LedgerBatch,
  vault: Vault,
  statements: Promise<unknown>[],
): Promise<void> {
  if (batch.transfers.length > 0) statements.push(insertBatch(tx, vault, batch.transfers))
  for (const [writer, rows] of batch.writes()) statements.push(issue(() => writer.write(tx, rows, vault)))
  // The server does not know of a statement that failed before it was sent, and would commit the others without it.
  if (!(await brokeBeforeSending(statements))) statements.push(tx.query('commit'))
  await allEnded(statements)
}

/** Runs the write at once and turns a synchronous exception into a rejection. */
async function issue(write: () => Promise<unknown>): Promise<unknown> {
  return write()
}

/** Whether a statement failed before it was sent. Encoding ends within one tick, so this does not wait for the server. */
async function brokeBeforeSending(statements: readonly Promise<unknown>[]): Promise<boolean> {
  let broke = false
  const note = () => {
    broke = true
  }
  for (const statement of statements) statement.catch(note)
  await new Promise<void>(resolve => {
    process.nextTick(resolve)
  })
  return broke
}

/** Resolves or rejects every entry with its outcome. */
export function resolveEntries(commands: readonly Entry[], { outcomes }: Decided): void {
  for (const [index, entry] of commands.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) entry.reject(new Error('assertion failed: every command has an outcome'))
    else if ('ok' in outcome) entry.resolve(outcome.ok)
    else entry.reject('refused' in outcome ? errorOf(outcome.refused) : outcome.failed)
  }
}

export function accountsOf(commands: readonly Entry[]): Uuid[] {
  const ids = new Set<Uuid>()
  for (const entry of commands) for (const id of entry.command.accounts) ids.add(id)
  return [...ids]
}

export type GroupedReads = readonly [Reader<unknown, unknown>, unknown[]]

/** Groups reads by their reader, each key once. */
export function collect(reads: readonly Read[]): GroupedReads[] {
  const byReader = new Map<Reader<unknown, unknown>, Map<string, unknown>>()
  for (const { reader, key } of reads) {
    let keys = byReader.get(reader)
    if (keys === undefined) byReader.set(reader, (keys = new Map()))
    keys.set(reader.textOf(key), key)
  }
  return [...byReader].map(([reader, keys]) => [reader, [...keys.values()]])
}

/** Waits for all, because statements after a failed one are still in progress; then throws the first error. */
export async function allEnded(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises)
  await Promise.all(promises)
}
