import { expect, describe as group, test } from 'vitest'
import * as contract from './index.ts'
import { routes } from './index.ts'
import { bodyAjv, inside, queryAjv, requests } from './testing/schemas.ts'

group('what callers send', () => {
  const schemas = requests.flatMap(({ name, schema }) => inside(name, schema))

  test('no object of a request accepts an unknown field', () => {
    const open = schemas.filter(({ schema }) => schema.properties && schema.additionalProperties !== false)
    expect(open.map(({ name }) => name)).toEqual([])
  })

  test('every text, list and number of a request is bounded', () => {
    const bounds = {
      string: ['maxLength', 'pattern', 'enum'],
      array: ['maxItems'],
      number: ['maximum'],
      integer: ['maximum'],
    }
    const unbounded = schemas.filter(({ schema }) =>
      Object.entries(bounds).some(
        ([type, keywords]) =>
          [schema.type].flat().includes(type) && !keywords.some(keyword => keyword in schema),
      ),
    )
    expect(unbounded.map(({ name }) => name)).toEqual([])
  })

  test('every text of a body or a query refuses control characters and unpaired surrogates', () => {
    const texts = schemas.filter(
      ({ name, schema }) => !name.includes('.params') && [schema.type].flat().includes('string'),
    )
    const lax = texts.filter(({ schema }) => {
      const validate = bodyAjv.compile(schema)
      return ['\u0000', '\ud800', '\u007f'].some(
        bad => validate(`abc${bad}`) || validate(`a@b.co${bad}`) || validate(`http://a.b${bad}`),
      )
    })
    expect(lax.map(({ name }) => name)).toEqual([])
  })

  test('a name has a visible character and no character that changes its display', () => {
    const validate = bodyAjv.compile(routes.createPlatform.body)
    const seen = ['A', 'क्\u200dष', 'نامه\u200cای', 'é', '💸', 'A\u00a0B']
    for (const name of seen) expect(validate({ name }), JSON.stringify(name)).toBe(true)
    const unseen = [
      ' ',
      '\u200b',
      '\u200d\u2060',
      '\u00a0\u3000',
      '\u3164',
      '\u115f',
      '\u2800',
      '\ufe0f',
      '\u00ad',
    ]
    for (const name of unseen) expect(validate({ name }), JSON.stringify(name)).toBe(false)
    const misread = ['\u202a', '\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\u2028', '\udc00']
    for (const mark of misread) {
      expect(validate({ name: `Bank${mark}gnp` }), JSON.stringify(mark)).toBe(false)
    }
  })

  test('a reference refuses characters that change the direction of text; a note in Urdu may contain them', () => {
    const validate = bodyAjv.compile(routes.pay.body)
    const payment = { to: 'translator', amount: 1 }
    expect(validate({ ...payment, reference: 'order\u202e7' })).toBe(false)
    expect(validate({ ...payment, note: 'حساب\u200f (A)\nدو' })).toBe(true)
    expect(validate({ ...payment, note: 'half \ud800' })).toBe(false)
  })

  test('an amount is a JSON number of INR with at most two decimals', () => {
    const validate = bodyAjv.compile(routes.pay.body)
    for (const amount of [0.01, 0.29, 1.1, 1.15, 4.35, 400, 1e10, 9_999_999_999.99]) {
      expect(validate({ to: 'translator', amount }), String(amount)).toBe(true)
    }
    const bad = [0, -0, -1, 0.001, 10.001, 1.005, 1e10 + 0.01, Infinity, NaN, '10', true, null, [10], {}]
    for (const amount of bad) expect(validate({ to: 'translator', amount }), typeof amount).toBe(false)
    const parsed: unknown = JSON.parse('{"to":"translator","amount":1e400}')
    expect(validate(parsed)).toBe(false)
  })

  test('no value in a body is coerced', () => {
    const validate = bodyAjv.compile(routes.pay.body)
    for (const wrong of [
      { to: 5 },
      { note: 5 },
      { unique_reference: 'true' },
      { idempotency_key: '' },
      { extra: 1 },
    ]) {
      expect(validate({ to: 'translator', amount: 1, ...wrong }), JSON.stringify(wrong)).toBe(false)
    }
  })

  test('a policy control accepts 0 and null, and no negative amount', () => {
    const validate = bodyAjv.compile(routes.updateAgent.body)
    for (const spend_limit_daily of [0, null, 12.5]) expect(validate({ spend_limit_daily })).toBe(true)
    for (const spend_limit_daily of [-1, -0, 0.001, '5']) expect(validate({ spend_limit_daily })).toBe(false)
    for (const allowed_payees of [[], ['network'], null]) expect(validate({ allowed_payees })).toBe(true)
    for (const allowed_payees of [['anyone'], ['network', 'network'], 'network']) {
      expect(validate({ allowed_payees })).toBe(false)
    }
    for (const control of contract.POLICY_CONTROLS) expect(validate({ [control]: null }), control).toBe(true)
  })

  test('the values of a query are coerced and validated, and unknown names are refused', () => {
    const validate = queryAjv.compile(routes.listTransactions.query)
    const page = { limit: '100', offset: '0', from_date: '2026-02-28', to_date: '2026-11-30T23:59:59+05:30' }
    expect(validate(page)).toBe(true)
    expect(page).toMatchObject({ limit: 100, offset: 0 })
    const bad = [
      { limit: '101' },
      { limit: '0' },
      { limit: 'ten' },
      { limit: '' },
      { limit: '1.5' },
      { offset: '-1' },
      { type: 'gift' },
      { from_date: '2026-02-30' },
      { from_date: 'yesterday' },
      { to_date: '2026-11-30T24:00:00Z' },
      { to_date: '2026-11-30T10:00:00' },
      { page: '2' },
    ]
    for (const query of bad) expect(validate({ ...query }), JSON.stringify(query)).toBe(false)
  })

  test('invalid phones, PANs, handles and UPI ids are refused', () => {
    const owner = bodyAjv.compile(routes.createOwner.body)
    const asha = { name: 'Asha Rao', phone: '9876543210', pan: 'ABCDE1234F' }
    for (const phone of ['9876543210', '+919876543210', '09876543210', '+91 98765-43210']) {
      expect(owner({ ...asha, phone }), phone).toBe(true)
    }
    for (const phone of [
      '5876543210',
      '987654321',
      '98765432100',
      '+19876543210',
      '９８７６５４３２１０',
      '',
    ]) {
      expect(owner({ ...asha, phone }), phone).toBe(false)
    }
    for (const wrong of [
      { pan: 'ABCD1234F' },
      { name: '   ' },
      { name: 'a'.repeat(101) },
      { email: 'asha' },
    ]) {
      expect(owner({ ...asha, ...wrong }), JSON.stringify(wrong)).toBe(false)
    }
    const agent = bodyAjv.compile(routes.createAgent.body)
    const base = { name: 'A', owner_id: contract.exampleId('own') }
    for (const handle of ['bot', '@Bot', 'a-b_9', `a${'b'.repeat(31)}`])
      expect(agent({ ...base, handle }), handle).toBe(true)
    for (const handle of ['ab', '9bot', 'bot!', 'bоt', "a' or 1=1", '@@bot', `a${'b'.repeat(32)}`]) {
      expect(agent({ ...base, handle }), handle).toBe(false)
    }
  })
})
