import { expect } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { type Authorization, feeOn } from '../domains/payments/authorizations/authorization.ts'
import { authorizationJobs } from '../domains/payments/authorizations/jobs.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { SYSTEM } from '../ledger/index.ts'
import {
  authorizationIntent,
  authorizedOn,
  beginClosingOn,
  captureOn,
  endOn,
  runAuthorizationJobs,
  setAside,
  writtenAuthorization,
} from './authorizing.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  fund,
  insertAgent,
  outcomesOf,
  post,
  startNode,
  type TestNode,
} from './builders.ts'
import { createTestDatabase } from './database.ts'
import { factsIn } from './facts.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

const AMOUNT = 10_000n
const FUNDS = 10n ** 12n
const GRACE_MS = 600_000
const SMALL_CHARGEBACK = 7n

/** Two nodes on one database, with a payer and a payee. */
export interface AuthorizationStage {
  readonly database: Database
  readonly nodes: readonly [TestNode, TestNode]
  readonly clock: ManualClock
  readonly payer: Uuid
  readonly payee: Uuid
  close(): Promise<void>
}

export async function openAuthorizationStage(): Promise<AuthorizationStage> {
  const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const db = await createTestDatabase()
  const second = openDatabase(db.url)
  const nodes = [startNode({ database: db.database, clock }), startNode({ database: second, clock })] as const
  const [payer, payee] = [
    await insertAgent(db.database, clock.now()),
    await insertAgent(db.database, clock.now()),
  ]
  await fund(nodes[0].ledger, payer, FUNDS)
  return {
    ...{ database: db.database, nodes, clock, payer, payee },
    async close() {
      await expectBalanced(db.database)
      expect(await setAside(db.database)).toEqual({ left: 0n, inLedger: 0n })
      await expectRecorded(db.database)
      expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
      await Promise.all(nodes.map(({ ledger }) => ledger.close()))
      await second.close()
      await db.drop()
    },
  }
}

/**
 * What starts at the same moment: while it is open, when it expires, when its grace ends, when the payer is frozen, or
 * when a chargeback takes more than the payer has.
 */
const SCENES = ['open', 'expiring', 'over', 'frozen', 'overdrawn'] as const
type Scene = (typeof SCENES)[number]

/**
 * Captures, ends, the job and a chargeback start at once on both nodes. Fails unless what was captured is what the
 * payee has, never more than was authorized, and the rest with the right fee is back with the payer.
 */
export async function raceAuthorization(stage: AuthorizationStage, round: number): Promise<string> {
  const { database, nodes, clock, payer, payee } = stage
  const scene = SCENES[round % SCENES.length] ?? 'open'
  const before = { payer: await balanceOf(database, payer), payee: await balanceOf(database, payee) }
  const seen = await authorizedOn(nodes[0], authorizationIntent(payer, payee, AMOUNT))
  if (scene === 'over') {
    await beginClosingOn(nodes[0], seen)
    clock.advance(GRACE_MS)
  }
  if (scene === 'expiring') clock.set(seen.expiresAt)
  const chargeback = scene === 'overdrawn' ? before.payer : SMALL_CHARGEBACK
  const starts = startersOf(stage, seen, { scene, chargeback })
  const first = round % starts.length
  const inTurn = [...starts.slice(first), ...starts.slice(0, first)]
  const { done } = await outcomesOf(inTurn.map(start => start()))
  if (scene === 'frozen') await unfreeze(stage)
  clock.advance(GRACE_MS)
  await runAuthorizationJobs(nodes[1], clock.now())
  const ended = await writtenAuthorization(database, seen.id)
  if (ended.status === 'closing') {
    await endOn(nodes[0], ended, 'closed')
  }
  const last = await writtenAuthorization(database, seen.id)
  const { capturedPaise, feePaise } = last
  expect(capturedPaise).toBe(done.reduce((sum, moved) => sum + moved, 0n))
  expect(capturedPaise).toBeLessThanOrEqual(AMOUNT)
  expect(feePaise).toBe(feeOn(capturedPaise))
  expect(await balanceOf(database, payee)).toBe(before.payee + capturedPaise)
  expect(await balanceOf(database, payer)).toBe(before.payer - capturedPaise - feePaise - chargeback)
  if (scene === 'overdrawn') await fund(nodes[0].ledger, payer, chargeback)
  return last.status
}

/** Returns what it captured. */
type Starter = () => Promise<bigint>

function startersOf(
  { database, nodes, clock, payer }: AuthorizationStage,
  { id }: Authorization,
  { scene, chargeback }: { readonly scene: Scene; readonly chargeback: bigint },
): Starter[] {
  const moved = async (work: Promise<{ captured_now: number }>) =>
    BigInt(Math.round((await work).captured_now * 100))
  const nothing = async (work: Promise<unknown>) => {
    await work
    return 0n
  }
  const look = () => writtenAuthorization(database, id)
  const each = (node: TestNode): Starter[] => [
    async () => moved(captureOn(node, await look(), 'amount', 3_000n)),
    async () => moved(captureOn(node, await look(), 'amount', 3_000n)),
    async () => moved(captureOn(node, await look(), 'total', 5_000n)),
    async () => moved(captureOn(node, await look(), 'total', 9_000n)),
    async () => moved(captureOn(node, await look(), 'total', AMOUNT, true)),
    async () => nothing(endOn(node, await look(), 'voided')),
    async () => nothing(endOn(node, await look(), 'closed')),
    async () => nothing(beginClosingOn(node, await look())),
    () => nothing(Promise.all(authorizationJobs(node).map(job => job.run(clock.now())))),
  ]
  const chargeBack = () =>
    nothing(
      post(nodes[1].ledger, [payer], {
        ...{ kind: 'chargeback', debit: payer, credit: SYSTEM.gateway, amountPaise: paise(chargeback) },
      }),
    )
  const freeze = () => nothing(changeAgent(database, payer, { status: 'frozen', blocked_at: clock.now() }))
  return [...nodes.flatMap(each), chargeBack, ...(scene === 'frozen' ? [freeze] : [])]
}

async function unfreeze({ database, payer }: AuthorizationStage): Promise<void> {
  await changeAgent(database, payer, { status: 'active', blocked_at: null, blocked_ms: 0n })
}

/** Fails unless each authorization was created and ended once in the log, and captured as often as in the ledger. */
async function expectRecorded(database: Database): Promise<void> {
  const facts = Map.groupBy(await factsIn(database), ({ target }) => target)
  const rows = await database.query<{ id: Uuid; captures: number }>(
    `select a.id, (select count(*)::int4 from transfers t where t.linked_id = a.id and t.kind = 'capture') as captures
     from authorizations a`,
  )
  for (const { id, captures } of rows) {
    const actions = facts.get(formatId('ath', id))?.map(({ action }) => action) ?? []
    expect(actions.filter(action => action === 'authorization.captured')).toHaveLength(captures)
    const ends = actions.filter(action => /\.(?:closed|voided)$/.test(action))
    expect(ends).toHaveLength(1)
    expect(actions.filter(action => action === 'authorization.created')).toHaveLength(1)
  }
}
