import type { Span } from '../../../../http/date-span.ts'
import { assert } from '../../../../kernel/assert.ts'
import { momentOf, type Uuid } from '../../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../../kernel/money.ts'
import {
  awaitPosting,
  type Movement,
  type MovementsContext,
  selectMovements,
  selectStates,
  type WalletState,
} from './movement-store.ts'

/** A movement with what it did to the balance of its wallet, and the balance of the statement after it. */
export interface StatementMovement extends Movement {
  readonly changePaise: Paise
  readonly runningPaise: Paise
}

/** The movements of some wallets in a span. Its ends are known before the first movement is read. */
export interface Period {
  readonly openingPaise: Paise
  readonly closingPaise: Paise
  /** The number of movements. */
  readonly lines: number
  /**
   * Every movement once, the oldest first, some at a time; each slice is one statement, and nothing is open between two.
   * Throws when a wallet's movements do not lead from its opening to its closing balance without a gap.
   */
  slices(): AsyncGenerator<readonly StatementMovement[]>
}

/** Few enough that a slice occupies the processor for a few milliseconds. */
const LINES_AT_ONCE = 500
/** Of one moment, on all wallets of a statement; a batch of the ledger has one moment. */
const MOST_AT_ONE_MOMENT = 512_000
/** Longer than any transaction of the ledger waits for its commit. */
const POSTING_MS = 5 * 60_000

/**
 * Transfers are never changed and each wallet numbers its own without gaps. So the states at both ends fix which
 * movements the period has, and they are read later without a snapshot of the database.
 */
export async function openPeriod(
  context: MovementsContext,
  wallets: readonly Uuid[],
  { from, until }: Span,
  now: Date,
  linesAtOnce = LINES_AT_ONCE,
): Promise<Period> {
  const { database } = context
  const isJustOver = (moment: Date | null) =>
    moment !== null && moment <= now && moment.getTime() > now.getTime() - POSTING_MS
  // A transfer from before that moment may not be committed yet.
  if (isJustOver(from) || isJustOver(until)) await awaitPosting(database, wallets)
  // The end is read first. What is posted between the two is in neither, because no wallet starts after its end.
  const ends = await selectStates(database, wallets, until)
  const starts = from === null ? new Map<Uuid, WalletState>() : await selectStates(database, wallets, from)
  const all = wallets.map(wallet => walletSpan(wallet, starts.get(wallet), ends.get(wallet)))
  const spans = all.filter(({ start, end }) => start.sequence < end.sequence)
  const openingPaise = all.reduce((total, { start }) => total + start.balancePaise, 0n) as Paise
  const lines = spans.reduce((total, { start, end }) => total + Number(end.sequence - start.sequence), 0)
  return {
    openingPaise,
    closingPaise: all.reduce((total, { end }) => total + end.balancePaise, 0n) as Paise,
    lines,
    async *slices() {
      const running = runningBalances(spans, openingPaise)
      for await (const movements of inSlices(context, spans, { from, lines, linesAtOnce })) {
        const placed = movements.flatMap(movement => running.after(movement) ?? [])
        if (placed.length > 0) yield placed
      }
      assert(running.isComplete(), 'a statement has every movement of its period')
    },
  }
}

interface WalletSpan {
  readonly wallet: Uuid
  readonly start: WalletState
  readonly end: WalletState
}

const UNUSED: WalletState = { sequence: 0n, balancePaise: ZERO_PAISE, at: null }

function walletSpan(wallet: Uuid, start = UNUSED, end = UNUSED): WalletSpan {
  return { wallet, start: start.sequence > end.sequence ? end : start, end }
}

/** Follows the balances of all wallets and of the statement. */
function runningBalances(spans: readonly WalletSpan[], openingPaise: Paise) {
  const wallets = new Map(spans.map(({ wallet, start, end }) => [wallet, { last: start, end }]))
  let runningPaise = openingPaise
  return {
    /** null: it was posted after the period was opened. */
    after(movement: Movement): StatementMovement | null {
      const before = wallets.get(movement.wallet)
      if (before === undefined) return null
      const { changePaise, ...state } = effectOf(movement)
      const { last, end } = before
      assert(
        state.sequence === last.sequence + 1n && state.balancePaise === last.balancePaise + changePaise,
        `transfer ${movement.id} follows the movement before it`,
      )
      if (state.sequence < end.sequence) before.last = state
      else {
        assert(state.balancePaise === end.balancePaise, 'a statement ends with the closing balance')
        wallets.delete(movement.wallet)
      }
      runningPaise = (runningPaise + changePaise) as Paise
      return { ...movement, changePaise, runningPaise }
    },
    isComplete: () => wallets.size === 0,
  }
}

/** What a transfer did to the wallet of one of its sides, as the transfer itself says. */
function effectOf(movement: Movement) {
  const { side, amountPaise, feePaise } = movement
  const isDebit = side === 'debit'
  const sequence = isDebit ? movement.debitSequence : movement.creditSequence
  const balancePaise = isDebit ? movement.debitBalancePaise : movement.creditBalancePaise
  assert(sequence !== null && balancePaise !== null, 'the side of a wallet has a balance')
  const changePaise = (isDebit ? -(amountPaise + feePaise) : amountPaise) as Paise
  return { sequence, balancePaise, at: movement.postedAt, changePaise }
}

/**
 * All movements from the beginning to the last end, in spans of time that have about half a slice each: a statement of
 * many wallets would otherwise read a whole slice of each wallet, to use a few of them.
 */
async function* inSlices(
  context: MovementsContext,
  spans: readonly WalletSpan[],
  { from, lines, linesAtOnce }: { readonly from: Date | null; lines: number; linesAtOnce: number },
): AsyncGenerator<readonly Movement[]> {
  const wallets = spans.map(({ wallet }) => wallet)
  const endMs = spans.reduce((latest, { end }) => Math.max(latest, (end.at?.getTime() ?? 0) + 1), 0)
  const madeMs = wallets.reduce((first, id) => Math.min(first, momentOf(id).getTime()), endMs)
  let atMs = Math.max(from?.getTime() ?? 0, madeMs)
  let stepMs = Math.max(1, Math.ceil(((endMs - atMs) * linesAtOnce) / (2 * Math.max(1, lines))))
  let most = linesAtOnce
  while (atMs < endMs) {
    const untilMs = Math.min(endMs, atMs + stepMs)
    const slice = { from: new Date(atMs), until: new Date(untilMs), most }
    const movements = await selectMovements(context, wallets, slice)
    const isFull = movements.length === most
    const nextMs = isFull ? (movements.at(-1)?.postedAt.getTime() ?? untilMs) : untilMs
    // Of a full slice the last moment may be incomplete: the next slice begins with it.
    const complete = movements.filter(({ postedAt }) => postedAt.getTime() < nextMs)
    if (complete.length > 0) yield inOrder(complete)
    if (nextMs === atMs) {
      assert(most < MOST_AT_ONE_MOMENT, 'one moment has a bounded number of movements')
      most *= 2
    } else most = linesAtOnce
    atMs = nextMs
    if (isFull) stepMs = Math.max(1, Math.floor(stepMs / 2))
    else if (movements.length < linesAtOnce / 4) stepMs *= 2
  }
}

/**
 * By time and id, so that both sides of a transfer stand together; but two nodes may post to one wallet at one moment,
 * and then the wallet's own numbers decide.
 */
function inOrder(movements: readonly Movement[]): Movement[] {
  const sorted = movements.toSorted(
    (left, right) =>
      left.postedAt.getTime() - right.postedAt.getTime() ||
      (left.id === right.id ? (left.side === 'debit' ? -1 : 1) : left.id < right.id ? -1 : 1),
  )
  const ofWallets = Map.groupBy(sorted, ({ wallet }) => wallet)
  for (const own of ofWallets.values()) {
    own.sort((left, right) => Number(effectOf(left).sequence - effectOf(right).sequence))
  }
  const taken = new Map<Uuid, number>()
  return sorted.map(({ wallet }) => {
    const index = taken.get(wallet) ?? 0
    taken.set(wallet, index + 1)
    const next = ofWallets.get(wallet)?.[index]
    assert(next !== undefined, 'each place has a movement of its wallet')
    return next
  })
}
