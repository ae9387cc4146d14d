import type { Capture } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  authorizationIntent,
  authorizedOn,
  beginClosingOn,
  captureOn,
  endOn,
  runAuthorizationJobs,
  setAside,
  writtenAuthorization,
} from '../../../testing/authorizing.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { PROOF_LENGTH, SEED } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import {
  AUTHORIZATION_DAILY,
  AUTHORIZATION_FUNDS,
  type AuthorizationAct,
  type AuthorizationModel,
  authorizationActs,
  emptyAuthorizationModel,
  feeOf,
  modelAuthorize,
  modelCapture,
  modelEnd,
  modelPay,
  modelStop,
  modelWait,
} from '../../../testing/model/authorization-model.ts'
import type { Authorization } from './authorization.ts'

const PROGRAMS = 25 * PROOF_LENGTH
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let second: Database
let nodes: readonly [TestNode, TestNode]

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [startNode({ database, clock }), startNode({ database: second, clock })]
})

afterAll(async () => {
  await expectBalanced(database)
  const { left, inLedger } = await setAside(database)
  expect(inLedger).toBe(left)
  expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

interface Run {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly model: AuthorizationModel
  readonly made: Authorization[]
  readonly stops: { blockedSinceMs: number | null; blockedMs: number }
}

const tally = new Map<string, number>()

test('authorizations on two nodes have the same results as a plain model, whatever happened before', async () => {
  console.log(`authorization model seed ${SEED}`)
  await fc.assert(fc.asyncProperty(authorizationActs, runActs), { numRuns: PROGRAMS, seed: SEED })
  console.log(tally)
}, 600_000)

async function runActs(program: readonly AuthorizationAct[]): Promise<void> {
  const run: Run = {
    payer: await insertFundedAgent(nodes[0].ledger, database, clock, AUTHORIZATION_FUNDS, {
      spend_limit_daily_paise: AUTHORIZATION_DAILY,
    }),
    payee: await insertAgent(database, clock.now()),
    model: emptyAuthorizationModel(clock.now().getTime()),
    made: [],
    stops: { blockedSinceMs: null, blockedMs: 0 },
  }
  for (const [at, act] of program.entries()) await runAct(run, nodes[at % 2] ?? nodes[0], act)
  await expectWritten(run)
}

async function runAct(run: Run, node: TestNode, act: AuthorizationAct): Promise<void> {
  const { model, payer, payee } = run
  switch (act.do) {
    case 'pay':
      return expectResponse(
        node.pay(order(payer, payee, act.amount)),
        modelPay(model, act.amount),
        () => 'done',
      )
    case 'authorize': {
      const intent = authorizationIntent(payer, payee, act.amount, { expiresInSeconds: act.minutes * 60 })
      const response = authorizedOn(node, intent)
      return expectResponse(response, modelAuthorize(model, act.amount, act.minutes), made => {
        run.made.push(made)
        return 'done'
      })
    }
    case 'wait':
      return pass(run, node, act.minutes * 60_000)
    case 'pause':
    case 'resume':
    case 'freeze':
    case 'restore':
      // A stop has a moment of its own: of one millisecond nobody knows what came first.
      await pass(run, node, 1)
      if (modelStop(model, act.do)) await writeStop(run)
      return
    default:
      return runOnOne(run, node, act)
  }
}

async function pass({ model }: Run, node: TestNode, ms: number): Promise<void> {
  clock.advance(ms)
  modelWait(model, ms)
  await runAuthorizationJobs(node, clock.now())
}

async function runOnOne(
  { model, made }: Run,
  node: TestNode,
  act: Extract<AuthorizationAct, { which: number }>,
): Promise<void> {
  const at = act.which % Math.max(1, made.length)
  const [seen, each] = [made[at], model.authorizations[at]]
  if (seen === undefined || each === undefined) return
  if (act.do === 'capture') {
    const response = captureOn(node, seen, act.kind, act.paise, act.isFinal)
    return expectResponse(response, modelCapture(model, each, act), textOf)
  }
  const end =
    act.do === 'begin closing'
      ? beginClosingOn(node, seen)
      : endOn(node, seen, act.do === 'void' ? 'voided' : 'closed')
  return expectResponse(end, modelEnd(model, each, act.do), ({ status }) => status)
}

const textOf = ({ captured, captured_now, status }: Capture) =>
  `${Math.round(captured * 100)} ${Math.round(captured_now * 100)} ${status}`

async function expectResponse<Reply>(
  work: Promise<Reply>,
  expected: string,
  shown: (response: Reply) => string,
): Promise<void> {
  const outcome = await work.then(shown, (error: unknown) => {
    if (error instanceof AppError) return error.code
    throw error
  })
  expect(outcome).toBe(expected)
  const kind = /^\d/.test(outcome) ? 'captured' : outcome
  tally.set(kind, (tally.get(kind) ?? 0) + 1)
}

/** Writes the state of the payer as the routes do. */
async function writeStop({ payer, model, stops }: Run): Promise<void> {
  const nowMs = clock.now().getTime()
  if (model.status === 'frozen') stops.blockedSinceMs = nowMs
  else if (stops.blockedSinceMs !== null) {
    stops.blockedMs += nowMs - stops.blockedSinceMs
    stops.blockedSinceMs = null
  }
  await changeAgent(database, payer, {
    status: model.status,
    ...(model.status === 'paused' && { paused_at: clock.now() }),
    blocked_at: stops.blockedSinceMs === null ? null : new Date(stops.blockedSinceMs),
    blocked_ms: BigInt(stops.blockedMs),
  })
}

async function expectWritten({ payer, payee, model, made }: Run): Promise<void> {
  await runAuthorizationJobs(nodes[0], clock.now())
  const written = await Promise.all(made.map(({ id }) => writtenAuthorization(database, id)))
  expect(written.map(({ status, capturedPaise }) => ({ status, captured: capturedPaise }))).toEqual(
    model.authorizations.map(({ status, captured }) => ({ status, captured })),
  )
  for (const { status, capturedPaise, feePaise } of written) {
    if (status === 'closed') expect(feePaise).toBe(feeOf(capturedPaise))
  }
  expect([await balanceOf(database, payer), await balanceOf(database, payee)]).toEqual([
    model.balance,
    model.received,
  ])
  const [row] = await database.query<{ spent: bigint }>(
    'select total_spent_paise as spent from accounts where id = $1',
    [payer],
  )
  expect(row?.spent).toBe(model.spent)
}
