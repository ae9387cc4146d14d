import { MAX_EVIDENCE_EXAMPLES, type ResponseOf, type RiskAlert, type routes } from '@batua/contract'
import { afterAll, expect, describe as group } from 'vitest'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { lockForChange } from '../../ledger/index.ts'
import { countOpenAlerts } from './alerts/store.ts'
import { type RiskServer, startRiskServer } from './testing/risk-server.ts'
import { test, world } from './testing/risk-world.ts'

let server: RiskServer
let ask: RiskServer['ask']
let alerted: RiskServer['alerted']

test.beforeAll(async () => {
  server = await startRiskServer(world, quarantine)
  ;({ ask, alerted } = server)
})
afterAll(async () => {
  await server.close()
})

/** Quarantines under the account's lock and not from every state, as `parties` does. */
async function quarantine(tx: Queryable, agentId: Uuid): Promise<void> {
  await lockForChange(tx, [agentId])
  const rows = await tx.query(
    `update agents set status = 'quarantined' where id = $1 and status not in ('frozen', 'deactivated') returning id`,
    [agentId],
  )
  if (rows.length === 0) throw new AppError('conflict', 'A frozen agent cannot be quarantined')
}

type Refused = { error: { code: string; field?: string; message: string } }

const statusOf = async (agentId: Uuid) => {
  const [row] = await world.database.query<{ status: string }>(`select status from agents where id = $1`, [
    agentId,
  ])
  return row?.status
}

const review = (alertId: string, status: number, body: unknown) =>
  ask<RiskAlert & Refused>('POST', `alerts/${alertId}/review`, status, body)

group('an alert', () => {
  test('an alert is shown with its evidence', async () => {
    const payer = await world.agent()
    const payee = await world.agent()
    await world.payOften(payer, payee, 100n, 25)
    await world.run()
    const { alerts, pagination } = await ask<ResponseOf<typeof routes.listRiskAlerts>>(
      'GET',
      `alerts?agent_id=${formatId('agt', payer)}`,
      200,
    )
    expect(pagination.total).toBe(1)
    expect(alerts[0]).toMatchObject({
      agent_id: formatId('agt', payer),
      platform_id: formatId('plt', payer),
      rule: 'velocity_spike',
      status: 'open',
      note: null,
      reviewed_at: null,
    })
    expect(alerts[0]?.alert_id).toMatch(/^alr_[0-9a-z]{26}$/)
    expect(alerts[0]?.evidence.payment_ids.length).toBe(MAX_EVIDENCE_EXAMPLES)
    expect(alerts[0]?.evidence.payment_ids.every(id => /^pay_[0-9a-z]{26}$/.test(id))).toBe(true)
  })

  test('alerts are listed by status, rule and severity, page by page', async () => {
    const made = [await alerted(), await alerted(), await alerted()]
    await review(made[0]?.alertId ?? '', 200, { decision: 'dismiss' })
    type List = ResponseOf<typeof routes.listRiskAlerts>
    const find = (query: string) => ask<List>('GET', `alerts?${query}`, 200)
    const dismissed = await find('status=dismissed&rule=repeated_refusals&severity=medium')
    expect(dismissed.alerts.map(alert => alert.alert_id)).toContain(made[0]?.alertId)
    expect(dismissed.alerts.every(alert => alert.status === 'dismissed')).toBe(true)
    for (const none of ['rule=structuring', 'severity=low', 'status=confirmed']) {
      expect((await find(none)).pagination.total).toBe(0)
    }
    expect((await find(`agent_id=${formatId('agt', newUuid(new Date()))}`)).alerts).toEqual([])
    const whole = (await find('limit=100')).alerts.map(alert => alert.alert_id)
    const first = await find('limit=2')
    const next = await find(`limit=2&cursor=${first.pagination.next_cursor}`)
    expect([...first.alerts, ...next.alerts].map(alert => alert.alert_id)).toEqual(whole.slice(0, 4))
    expect((await find('limit=2&offset=2')).alerts).toEqual(next.alerts)
  })

  test('the overview counts an alert while it is open', async () => {
    const before = await countOpenAlerts(world.database)
    const { alertId } = await alerted()
    expect(await countOpenAlerts(world.database)).toBe(before + 1)
    await review(alertId, 200, { decision: 'dismiss' })
    expect(await countOpenAlerts(world.database)).toBe(before)
  })

  test('only administrators may read and review alerts', async () => {
    for (const [method, path] of [
      ['GET', 'alerts'],
      ['GET', 'rules'],
      ['GET', `agents/${formatId('agt', newUuid(new Date()))}/score`],
      ['POST', `alerts/${formatId('alr', newUuid(new Date()))}/review`],
    ] as const) {
      await ask(method, path, 401, method === 'POST' ? { decision: 'dismiss' } : undefined, {})
    }
  })
})

group('a review', () => {
  test('a review closes the alert, with its note and moment', async () => {
    const { alertId } = await alerted()
    const closed = await review(alertId, 200, { decision: 'dismiss', note: 'A sale\nas announced' })
    expect(closed).toMatchObject({
      alert_id: alertId,
      status: 'dismissed',
      note: 'A sale\nas announced',
      reviewed_at: world.clock.now().toISOString(),
    })
  })

  test('a review can quarantine the agent in the same request', async () => {
    const { agentId, alertId } = await alerted()
    const closed = await review(alertId, 200, { decision: 'confirm', action: 'quarantine' })
    expect(closed.status).toBe('confirmed')
    expect(await statusOf(agentId)).toBe('quarantined')
  })

  test('a review leaves the alert open if the agent cannot be quarantined', async () => {
    const { agentId, alertId } = await alerted()
    await world.database.query(`update agents set status = 'frozen' where id = $1`, [agentId])
    const { error } = await review(alertId, 409, { decision: 'confirm', action: 'quarantine' })
    expect(error.code).toBe('conflict')
    expect((await world.alerts(agentId, 'repeated_refusals'))[0]).toMatchObject({
      status: 'open',
      reviewedAt: null,
    })
    await review(alertId, 200, { decision: 'confirm' })
  })

  test('a review of a closed alert is a conflict and quarantines no agent', async () => {
    const { agentId, alertId } = await alerted()
    await review(alertId, 200, { decision: 'dismiss' })
    for (const body of [{ decision: 'dismiss' }, { decision: 'confirm', action: 'quarantine' }]) {
      expect((await review(alertId, 409, body)).error.code).toBe('conflict')
    }
    expect(await statusOf(agentId)).toBe('active')
  })

  test('of two concurrent reviews one closes the alert and the other changes nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const { agentId, alertId } = await alerted()
      const replies = await Promise.all([
        server.send('POST', `alerts/${alertId}/review`, { decision: 'dismiss' }),
        server.send('POST', `alerts/${alertId}/review`, { decision: 'confirm', action: 'quarantine' }),
      ])
      expect(replies.map(reply => reply.status).toSorted()).toEqual([200, 409])
      const [alert] = await world.alerts(agentId, 'repeated_refusals')
      const isConfirmed = replies[1].status === 200
      expect(alert?.status).toBe(isConfirmed ? 'confirmed' : 'dismissed')
      expect(await statusOf(agentId)).toBe(isConfirmed ? 'quarantined' : 'active')
    }
  })

  test('a review accepts an action only with confirm, and only for an alert on an agent', async () => {
    const { alertId } = await alerted()
    const wrong = await review(alertId, 400, { decision: 'dismiss', action: 'quarantine' })
    expect(wrong.error).toMatchObject({ code: 'validation_error', field: 'action' })
    const platformId = newUuid(world.clock.now())
    for (let refused = 0; refused < 20; refused++) world.signals.failedPlatformAuthentication(platformId)
    await world.run()
    const [alert] = await world.alerts(platformId, 'failed_authentication')
    const onPlatform = formatId('alr', alert?.id ?? '')
    const refused = await review(onPlatform, 400, { decision: 'confirm', action: 'quarantine' })
    expect(refused.error).toMatchObject({ code: 'validation_error', field: 'action' })
    expect(await review(onPlatform, 200, { decision: 'confirm' })).toMatchObject({
      agent_id: null,
      platform_id: formatId('plt', platformId),
    })
  })

  test('a review of an unknown alert is not found, and an unknown decision is refused', async () => {
    const { alertId } = await alerted()
    for (const id of [formatId('alr', newUuid(new Date())), 'alr_none', 'none']) {
      expect((await review(id, 404, { decision: 'dismiss' })).error.code).toBe('not_found')
    }
    for (const [body, field] of [
      [{}, 'decision'],
      [{ decision: 'maybe' }, 'decision'],
      [{ decision: 'confirm', action: 'freeze' }, 'action'],
      [{ decision: 'dismiss', note: 'x'.repeat(501) }, 'note'],
      [{ decision: 'dismiss', reason: 'x' }, 'reason'],
    ] as const) {
      expect((await review(alertId, 400, body)).error).toMatchObject({ code: 'validation_error', field })
    }
  })
})
