import { AGENT_STATUSES } from '@batua/contract'
import { expect, test } from 'vitest'
import { paise } from '../../../kernel/money.ts'
import { decideSettlement, type WalletFacts } from './decide.ts'

const due: WalletFacts = {
  status: 'active',
  hasAccount: true,
  balancePaise: paise(50_000n),
  youngPaise: paise(0n),
}

test.each<[Partial<WalletFacts>, string, string]>([
  [{}, 'pay', 'all of it is old'],
  [{ youngPaise: paise(49_999n) }, 'pay', 'one paisa is old, and the wallet is paid out whole'],
  [{ youngPaise: paise(50_000n) }, 'not_due', 'all of it is young'],
  [{ youngPaise: paise(90_000n) }, 'not_due', 'some of the young money is spent already'],
  [{ balancePaise: paise(0n) }, 'not_due', 'there is nothing'],
  [{ balancePaise: paise(-1n) }, 'not_due', 'there is less than nothing'],
  [{ status: 'deactivated', youngPaise: paise(50_000n) }, 'pay', 'of a deactivated agent everything is due'],
  [{ status: 'deactivated', balancePaise: paise(0n) }, 'not_due', 'but not nothing'],
  [{ status: 'paused' }, 'pay', 'a paused agent still pays its owner'],
  [{ balancePaise: paise(100n) }, 'pay', 'a rupee'],
])('for a wallet with %o the settlement decides %s, because %s', (change, kind) => {
  expect(decideSettlement({ ...due, ...change })).toMatchObject({ kind })
})

test.each<[Partial<WalletFacts>, string]>([
  [{ status: 'frozen' }, 'agent_frozen'],
  [{ status: 'quarantined' }, 'agent_quarantined'],
  [{ hasAccount: false }, 'no_verified_bank_account'],
  [{ balancePaise: paise(99n) }, 'below_minimum'],
  [{ status: 'frozen', hasAccount: false }, 'agent_frozen'],
  [{ hasAccount: false, balancePaise: paise(99n) }, 'no_verified_bank_account'],
])('%o is skipped: %s', (change, reason) => {
  expect(decideSettlement({ ...due, ...change })).toEqual({ kind: 'skip', reason })
})

test('a wallet with only young money is not reported, in whichever state', () => {
  const states = AGENT_STATUSES.filter(status => status !== 'deactivated')
  for (const status of states) {
    const young = { ...due, status, hasAccount: false, youngPaise: paise(50_000n) }
    expect(decideSettlement(young)).toEqual({ kind: 'not_due' })
  }
})
