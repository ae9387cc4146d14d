import { randomInt } from 'node:crypto'
import { expect } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  authorizationIntent,
  authorizedOn,
  beginClosingOn,
  captureOn,
  endOn,
  runAuthorizationJobs,
} from '../../../testing/authorizing.ts'
import { order, outcomesOf } from '../../../testing/builders.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import type { Authorization } from '../../payments/authorizations/authorization.ts'
import { faultsOf, foldAll, testContext, wholeRound } from './testing/stage.ts'

const STEPS = 120 * PROOF_LENGTH
const MINUTE_MS = 60_000

const expectNoFaults = async () => {
  await foldAll(database, clock.now())
  await wholeRound(testContext(database, clock))
  expect(await faultsOf(database)).toEqual([])
}

test('totals, windows and sums are right whatever authorizations were captured, ended and counted', async () => {
  const limits = {
    ...{ spend_limit_hourly_paise: 60_000n, spend_limit_daily_paise: 400_000n },
    ...{ per_counterparty_daily_limit_paise: 200_000n, max_counterparties_per_hour: 3 },
  }
  const payers = [await newFundedAgent(50_000_000n, limits), await newFundedAgent(50_000_000n)]
  const payees: Uuid[] = []
  for (let made = 0; made < 4; made++) payees.push(await newUnfundedAgent())
  const open: Authorization[] = []
  const anyOf = <Thing>(things: readonly Thing[]) => things[randomInt(Math.max(1, things.length))]
  let captured = 0
  for (let step = 0; step < STEPS; step++) {
    const [payer, payee] = [anyOf(payers) ?? '', anyOf(payees) ?? '']
    const intent = authorizationIntent(payer, payee, BigInt(randomInt(100, 20_000)), {
      expiresInSeconds: randomInt(60, 7_200),
    })
    const chosen = anyOf(open)
    const chance = randomInt(10)
    const { done } = await outcomesOf<unknown>([
      chance < 3 || chosen === undefined
        ? authorizedOn(node, intent).then(made => open.push(made))
        : chance < 6
          ? captureOn(node, chosen, 'amount', BigInt(randomInt(100, 5_000)), chance === 5)
          : chance === 6
            ? endOn(node, chosen, 'voided')
            : chance === 7
              ? beginClosingOn(node, chosen)
              : node.pay(order(payer, payee, BigInt(randomInt(100, 20_000)))),
    ])
    if (chance >= 3 && chance < 6) captured += done.length
    clock.advance(randomInt(12) * MINUTE_MS)
    await runAuthorizationJobs(node, clock.now())
    if (step % 40 === 39) await expectNoFaults()
  }
  expect(captured).toBeGreaterThan(0)
  clock.advance(3 * 60 * MINUTE_MS)
  await runAuthorizationJobs(node, clock.now())
  await expectNoFaults()
})

test('a capture that was altered by hand is found', async () => {
  const [payer, payee] = [await newFundedAgent(1_000_000n), await newUnfundedAgent()]
  const authorization = await authorizedOn(node, authorizationIntent(payer, payee, 20_000n))
  const { payment_id } = await captureOn(node, authorization, 'total', 5_000n)
  await expectNoFaults()
  const changed = await database.query<{ id: Uuid }>(
    `update transfers set amount_paise = amount_paise + 1 where linked_id = $1 and kind = 'capture' returning id`,
    [authorization.id],
  )
  expect([changed.length, payment_id === null]).toEqual([1, false])
  await wholeRound(testContext(database, clock))
  expect((await faultsOf(database)).map(({ kind }) => kind)).toContain('wrong_balance')
  await database.query(`update transfers set amount_paise = amount_paise - 1 where id = $1`, [changed[0]?.id])
  await expectNoFaults()
})
