import { readFileSync } from 'node:fs'
import { CONTROLS, LIMIT_CONTROLS, POLICY_CONTROLS, type PolicyControl, unitOf } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import { nothingSpent } from '../../testing/accounts.ts'
import { kindOf, OPEN_POLICY } from './controls.ts'
import { decideLimits } from './decide.ts'
import { ceilingOf, layerOf } from './layers.ts'
import { limitUsages } from './limit-usage.ts'

const UNITS = { inr: 'INR', recipients: 'a number', agents: 'agent ids' }

const TIGHTER = {
  limit: 'lower',
  threshold: 'lower',
  allowed_payees: 'fewer agents',
  blocked_payees: 'more agents',
}

function rowOf(control: PolicyControl): string {
  const { kind, description, tier } = CONTROLS[control]
  const inTier = [tier && `\`${tier.name}\``, tier?.description].filter(Boolean).join(': ')
  return `| \`${control}\` | ${UNITS[unitOf(control)]} | ${description} | ${inTier} | ${TIGHTER[kind]} |`
}

test('docs/policy.md lists every control as it is declared', () => {
  const page = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('\n|---|---|---|---|---|\n')
  const [rows = ''] = table.split('\n\n')
  expect(rows).toBe(POLICY_CONTROLS.map(rowOf).join('\n'))
})

describe.each(LIMIT_CONTROLS)('the limit %s', control => {
  const policy = { ...OPEN_POLICY, [control]: kindOf(control).stored(0) }
  const layers = [layerOf('agent', policy)]
  const facts = {
    ...{ layers, amountPaise: paise(1n), escrowApplies: true, spending: nothingSpent(0), nowMs: 0 },
    counterparty: { daySpentPaise: paise(0n), recentPayees: 0, paidRecently: false, leaving: [] },
    fitsAgainMs: () => 0,
  }

  test('of 0 refuses every payment and is named', () => {
    expect(decideLimits(facts)).toMatchObject({
      code: 'spend_limit_exceeded',
      details: { rule: control, layer: 'agent', limit: 0, used: 0, remaining: 0, max_amount_now: 0 },
    })
  })

  test('shows its usage', () => {
    expect(limitUsages(facts)).toMatchObject([{ rule: control, layer: 'agent', limit: 0n, used: 0n }])
  })

  test('lowers a ceiling, so that a payment above it is not approved unread', () => {
    const isZero = (value: unknown) => value === 0n || value === 0
    expect(Object.values(ceilingOf(layers)).filter(isZero)).toHaveLength(1)
  })
})
