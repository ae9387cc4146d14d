import { expect } from 'vitest'
import { openDatabase } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  authorizationIntent,
  authorizedOn,
  authorizeOn,
  captureOn,
  endOn,
  runAuthorizationJobs,
  setAside,
  writtenAuthorization,
} from '../../../testing/authorizing.ts'
import {
  balanceOf,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  startNode,
} from '../../../testing/builders.ts'
import { database, db, testOnNewDatabase as test } from '../../../testing/database-test.ts'
import { type Fault, faultyDatabase } from '../../../testing/faulty-database.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'

const ROUNDS = 12 * PROOF_LENGTH
const STEPS = 6
const COMMITS_PER_CUT = 3
const CUTS = [
  'cut before it is sent',
  'cut while it waits',
  'cut while it runs',
  'cut after the response',
] as const

function randomFault(text: string): Fault {
  if (text !== 'commit' || Math.random() * COMMITS_PER_CUT > 1) return 'none'
  return CUTS[Math.floor(Math.random() * CUTS.length)] ?? 'none'
}

/** Repeats until there is a response, as a client does that lost one. */
async function untilResponded<Reply>(work: () => Promise<Reply>): Promise<Reply | AppError> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code !== 'service_unavailable') return error
    }
  }
}

test('when commits are lost, repeats by key and by total leave each authorization, capture and end once', async () => {
  const victim = openDatabase(db.url)
  const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const node = startNode({ database: faultyDatabase(victim, randomFault), clock })
  const calm = startNode({ database, clock })
  const payer = await insertFundedAgent(calm.ledger, database, clock, 10_000_000n)
  const payee = await insertAgent(database, clock.now())
  let spent = 0n
  let received = 0n
  for (let round = 0; round < ROUNDS; round++) {
    const intent = authorizationIntent(payer, payee, 10_000n, { idempotencyKey: `key ${round}` })
    const response = await untilResponded(() => authorizeOn(node, intent))
    const seen = await writtenAuthorization(database, await idOf(response))
    for (let step = 1; step <= STEPS; step++) {
      const total = BigInt(step) * 1_000n
      const captured = await untilResponded(() => captureOn(node, seen, 'total', total))
      expect(captured).toMatchObject({ captured: step * 10 })
    }
    if (round % 2 === 0) await untilResponded(() => endOn(node, seen, 'closed'))
    else {
      clock.advance(86_400_000)
      for (let tries = 0; tries < 40; tries++) await runAuthorizationJobs(node, clock.now())
      clock.advance(600_000)
      await runAuthorizationJobs(calm, clock.now())
    }
    expect(await writtenAuthorization(database, seen.id)).toMatchObject({
      ...{ status: 'closed', capturedPaise: 6_000n, feePaise: 100n },
    })
    spent += 6_100n
    received += 6_000n
  }
  expect([await balanceOf(database, payer), await balanceOf(database, payee)]).toEqual([
    10_000_000n - spent,
    received,
  ])
  await expectBalanced(database)
  expect(await setAside(database)).toEqual({ left: 0n, inLedger: 0n })
  const [made] = await database.query<{ count: number }>('select count(*)::int4 as count from authorizations')
  expect(made?.count).toBe(ROUNDS)
  await Promise.all([node.ledger.close(), calm.ledger.close()])
  await victim.close()

  async function idOf(response: Awaited<ReturnType<typeof authorizeOn>> | AppError): Promise<Uuid> {
    if (!(response instanceof AppError)) {
      if ('waiting' in response) throw new Error('it needs no approval')
      return response.authorization.id
    }
    // The first attempt was committed: the key names what it made.
    expect(response.code).toBe('idempotency_error')
    const [last] = await database.query<{ id: Uuid }>(
      'select id from authorizations order by id desc limit 1',
    )
    return last?.id ?? ''
  }
})

test('an authorization is made once by many requests with one key', async () => {
  const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const second = openDatabase(db.url)
  const nodes = [startNode({ database, clock }), startNode({ database: second, clock })] as const
  const payer = await insertFundedAgent(nodes[0].ledger, database, clock, 10_000_000n)
  const payee = await insertAgent(database, clock.now())
  const intent = authorizationIntent(payer, payee, 10_000n, { idempotencyKey: 'once' })
  const works = Array.from({ length: 40 }, (_, at) =>
    authorizedOn(nodes[at % 2] ?? nodes[0], intent).then(
      ({ id }) => id,
      (error: AppError) => error.code,
    ),
  )
  const responses = await Promise.all(works)
  expect(responses.filter(response => response !== 'idempotency_error')).toHaveLength(1)
  expect(await balanceOf(database, payer)).toBe(10_000_000n - 10_100n)
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})
