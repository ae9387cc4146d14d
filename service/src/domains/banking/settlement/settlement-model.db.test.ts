import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayFromText } from '../../../kernel/business-days.ts'
import { DAY_MS, HOUR_MS, istDay } from '../../../kernel/clock.ts'
import { fixedCalendar } from '../../../kernel/holiday-file.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise } from '../../../kernel/money.ts'
import { checkLedger, type Posting, SYSTEM } from '../../../ledger/index.ts'
import { balanceOf, fund, post } from '../../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork } from '../../../testing/paying-out.ts'
import { scriptedPayouts } from '../../../testing/scripted-payouts.ts'
import { openSettlingNode, type SettlingNode, settlementsOf } from '../../../testing/settling.ts'

const RUNS = 8 * PROOF_LENGTH
const WALLETS = 4
const SLICE = 2
/** Besides weekends, two consecutive holidays in the middle of the simulated span. */
const HOLIDAYS = ['2026-11-24', '2026-11-25']
const START = new Date('2026-11-16T04:30:00.000Z')

/** The events of a wallet: credits of each kind, and debits. */
const STEPS = [
  'fund',
  'late_fund',
  'payment_in',
  'payment_out',
  'refund_in',
  'payout_back',
  'chargeback',
] as const

interface Move {
  readonly kind: (typeof STEPS)[number]
  readonly wallet: number
  readonly amount: number
}

type Step = Move | { readonly kind: 'wait'; readonly hours: number }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom(...STEPS),
        wallet: fc.nat(WALLETS - 1),
        amount: fc.integer({ min: 100, max: 100_000 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('wait'), hours: fc.integer({ min: 1, max: 30 }) }),
    },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
)

/** A wallet of the model: every credit on its own, with the day on which it came. */
interface ModelWallet {
  readonly id: Uuid
  readonly lots: { readonly day: number; left: bigint }[]
  debt: bigint
  readonly settled: { readonly day: number; readonly amount: bigint }[]
}

function balance({ lots, debt }: ModelWallet): bigint {
  return lots.reduce((sum, lot) => sum + lot.left, 0n) - debt
}

function credit(wallet: ModelWallet, day: number, amount: bigint): void {
  const paidOff = amount < wallet.debt ? amount : wallet.debt
  wallet.debt -= paidOff
  wallet.lots.push({ day, left: amount - paidOff })
}

/** The oldest money is spent first. */
function debit(wallet: ModelWallet, amount: bigint): void {
  let open = amount
  for (const lot of wallet.lots) {
    const taken = open < lot.left ? open : lot.left
    lot.left -= taken
    open -= taken
  }
  wallet.debt += open
}

const closed = new Set(HOLIDAYS.map(text => dayFromText(text) ?? 0))

function isOpen(day: number): boolean {
  return !closed.has(day) && ![0, 6].includes(new Date(day * DAY_MS).getUTCDay())
}

/** The rule of the contract: money of business day T (a day of rest counts as the next business day) is due on T+2. */
function dueDay(day: number): number {
  let due = day
  while (!isOpen(due)) due++
  for (let left = 2; left > 0; left--) {
    due++
    while (!isOpen(due)) due++
  }
  return due
}

/** The latest business day on which it is past ten o'clock. */
function runDay(now: Date): number {
  let day = istDay(new Date(now.getTime() - 10 * HOUR_MS))
  while (!isOpen(day)) day--
  return day
}

function postingOf(
  { id }: ModelWallet,
  kind: Move['kind'],
  amountPaise: Paise,
  { node, bank }: World,
): Posting {
  const now = node.clock.now()
  const linkedId = newUuid(now)
  switch (kind) {
    case 'fund':
      return { kind: 'fund', debit: SYSTEM.gateway, credit: id, amountPaise }
    case 'late_fund': {
      // Paid long after its session was opened. The session's id is the older one.
      const opened = newUuid(new Date(now.getTime() - 9 * DAY_MS))
      return { kind: 'fund', id: opened, debit: SYSTEM.gateway, credit: id, amountPaise }
    }
    case 'payment_in':
      return { kind: 'payment', debit: bank, credit: id, amountPaise }
    case 'refund_in':
      return { kind: 'refund', debit: bank, credit: id, amountPaise, linkedId }
    case 'payout_back':
      return { kind: 'payout_failed', debit: SYSTEM.payouts, credit: id, amountPaise, linkedId }
    case 'payment_out':
      return { kind: 'payment', debit: id, credit: bank, amountPaise }
    case 'chargeback':
      return { kind: 'chargeback', debit: id, credit: SYSTEM.gateway, amountPaise, linkedId }
  }
}

async function act(world: World, { kind, wallet: index, amount }: Move): Promise<void> {
  const wallet = world.wallets[index]
  const { node, bank } = world
  if (wallet === undefined) throw new Error('there is no such wallet')
  const amountPaise = paise(BigInt(amount))
  if (kind === 'payment_out' && balance(wallet) < amountPaise) return
  await post(node.ledger, [wallet.id, bank], postingOf(wallet, kind, amountPaise, world))
  if (kind === 'payment_out' || kind === 'chargeback') debit(wallet, amountPaise)
  else credit(wallet, istDay(node.clock.now()), amountPaise)
}

/** What a run at this time must do, once for each of its days. */
function settleByHand({ wallets, node, done }: World): void {
  const day = runDay(node.clock.now())
  if (done.has(day)) return
  done.add(day)
  for (const wallet of wallets) {
    const amount = balance(wallet)
    const isDue = wallet.lots.some(lot => lot.left > 0n && dueDay(lot.day) <= day)
    if (!isDue || amount < 100n) continue
    debit(wallet, amount)
    wallet.settled.push({ day, amount })
  }
}

interface World {
  readonly db: TestDatabase
  readonly node: SettlingNode
  /** The agent that pays the wallets and is paid by them. Its owner has no bank account, so no run pays it out. */
  readonly bank: Uuid
  readonly wallets: readonly ModelWallet[]
  readonly done: Set<number>
}

async function openWorld(): Promise<World> {
  const db = await createTestDatabase()
  const clock = manualClock(START)
  const node = openSettlingNode(db, clock, scriptedPayouts(), { holidays: fixedCalendar(...HOLIDAYS) })
  const people = await openPayoutNetwork(db, clock)
  const bank = await people.agentOf(await people.owner(false))
  await fund(node.ledger, bank, 10n ** 12n)
  const ids = await Promise.all(Array.from({ length: WALLETS }, () => people.agent()))
  return {
    db,
    node,
    bank,
    wallets: ids.map(id => ({ id, lots: [], debt: 0n, settled: [] })),
    done: new Set(),
  }
}

test('a run pays out what the model, credit by credit, computes as due', async () => {
  const property = fc.asyncProperty(steps, async random => {
    const world = await openWorld()
    const { db, node, wallets } = world
    for (const step of random) {
      if (step.kind === 'wait') node.clock.advance(step.hours * HOUR_MS)
      else await act(world, step)
      await node.run(SLICE)
      settleByHand(world)
    }
    for (const wallet of wallets) {
      const settlements = await settlementsOf(db, [wallet.id])
      expect(settlements.map(({ day, amount }) => ({ day, amount }))).toEqual(wallet.settled)
      expect(await balanceOf(db.database, wallet.id)).toBe(balance(wallet))
    }
    // Money is credited back here without a payout row, so the ledger is checked without the records.
    expect(await checkLedger(db.database)).toMatchObject({ balanced: true })
    await node.close()
    await db.drop()
  })
  // A failure prints the seed that reproduces it.
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
}, 600_000)
