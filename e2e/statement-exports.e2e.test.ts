import { routes, type Statement, StatementLine } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { parse } from 'csv-parse/sync'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request, type Sent } from './src/api.ts'
import type { Agent, Owner } from './src/network.ts'
import { openSandboxScenarios, type SandboxScenarios } from './src/sandbox-scenarios.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let scenarios: SandboxScenarios
let owner: Owner

beforeAll(async () => {
  stage = await sharedStage()
  scenarios = openSandboxScenarios(stage.api)
  owner = await stage.network.owner(await stage.network.platform())
  await stage.network.verify(owner)
})
afterAll(() => stage.close())

const ofAgent = ({ id, headers }: Agent, query: Sent['query'] = {}) => ({
  params: { agent_id: id },
  headers,
  query,
})
const statementOf = (agent: Agent, query: Sent['query'] = {}): Promise<Statement> =>
  stage.api.ok(routes.getStatement, ofAgent(agent, query))

/** The bytes of a statement with the headers of its response. */
async function download(agent: Agent, format: 'csv' | 'pdf', query: Readonly<Record<string, string>> = {}) {
  const search = new URLSearchParams({ format, ...query })
  const address = `${stage.api.address}/v1/agents/${agent.id}/statement?${search.toString()}`
  const response = await fetch(address, { headers: agent.headers })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function textsOf(bytes: Buffer): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)))
  return text
}

/** An agent with 975 INR that paid 400 INR and its fee, and the payee. */
async function paid(names: readonly [payer: string, payee: string] = ['Research Agent', 'Translator']) {
  const payer = await stage.network.fundedAgent(owner, { name: names[0] })
  const payee = await stage.network.agent(owner, { name: names[1] })
  const payment = await stage.network.pay(payer, payee, 400, {
    reference: 'invoice-7',
    note: 'Twelve\npages',
  })
  return { payer, payee, payment }
}

describe('a statement as JSON', () => {
  test('leads from the opening to the closing balance in the order in which the balance changed', async () => {
    const { payer } = await paid()
    const statement = await statementOf(payer)
    expect(statement).toMatchObject({
      agent_id: payer.id,
      currency: 'INR',
      from: null,
      until: null,
      opening_balance: 0,
      closing_balance: 573,
      totals: { lines: 2, credited: 975, debited: 402, fees: 27 },
    })
    expect(statement.lines).toMatchObject([
      { type: 'fund', amount: 1000, fee: 25, change: 975, running_balance: 975, reverses: null },
      {
        type: 'pay_out',
        amount: 400,
        fee: 2,
        change: -402,
        running_balance: 573,
        counterparty_name: 'Translator',
      },
    ])
    const { transactions } = await stage.api.ok(routes.listTransactions, ofAgent(payer))
    expect(statement.lines).toMatchObject(transactions.toReversed())
  })

  test('shows pending money like the balance does, and returned money in a line of its own', async () => {
    const payer = await stage.network.fundedAgent(owner)
    const payee = await stage.network.agent(owner)
    const { headers } = owner.platform
    const hold = await stage.api.ok(routes.holdEscrow, {
      ...{ params: { agent_id: payer.id }, headers },
      body: { amount: 200, to_agent_id: payee.id, reference: 'order-1' },
    })
    const waiting = await statementOf(payer)
    expect(waiting.closing_balance).toBe(775)
    expect(waiting.lines[1]).toMatchObject({ type: 'pay_out', status: 'pending', change: -200 })
    await stage.api.ok(routes.refundEscrow, { params: { escrow_id: hold.escrow_id ?? '' }, headers })
    const over = await statementOf(payer)
    const [, held, back] = over.lines
    expect(held).toMatchObject({ type: 'pay_out', status: 'reversed', change: -200, running_balance: 775 })
    expect(back).toMatchObject({
      ...{ type: 'pay_out', change: 200, running_balance: 975, reverses: held?.id },
      ...{ reference: 'order-1', escrow_id: hold.escrow_id, counterparty_id: payee.id },
    })
    expect(back?.id).not.toBe(held?.id)
    expect(over.closing_balance).toBe((await stage.network.balance(payer)).available)
  })

  test('reverses a withdrawal that the bank refused', async () => {
    const unlucky = await stage.network.owner(owner.platform)
    await scenarios.kyc(unlucky, '900000000006')
    const agent = await stage.network.fundedAgent(unlucky)
    const withdrawal = await stage.api.ok(routes.withdraw, { ...ofAgent(agent), body: { amount: 500 } })
    await scenarios.advance(60)
    const { lines, closing_balance } = await statementOf(agent)
    expect(lines).toMatchObject([
      { type: 'fund' },
      { id: withdrawal.transaction_id, type: 'withdraw', status: 'failed', change: -500, net_amount: 500 },
      { type: 'withdraw', change: 500, reverses: withdrawal.transaction_id, running_balance: 975 },
    ])
    expect(closing_balance).toBe(975)
    const { transactions } = await stage.api.ok(routes.listTransactions, ofAgent(agent))
    const listed = transactions.find(({ id }) => id === withdrawal.transaction_id)
    expect(listed?.failure_reason).toBeDefined()
    expect(lines[1]?.failure_reason).toBe(listed?.failure_reason)
  })

  test('names a checkpoint of the audit log that includes the entries of its lines', async () => {
    const { payer, payment } = await paid()
    const { checkpoint } = await statementOf(payer)
    const size = Number(checkpoint?.split('\n')[1])
    const entry = await stage.api.ok(routes.verifyAuditEntry, {
      headers: payer.headers,
      query: { audit_id: (payment.payment_id ?? '').replace('pay_', 'aud_') },
    })
    expect(entry.valid).toBe(true)
    expect(entry.leaf_index).toBeLessThan(size)
    const proof = await stage.api.ok(routes.getConsistency, {
      headers: payer.headers,
      query: { from: size, to: entry.tree_size ?? 0 },
    })
    expect(proof.from).toBe(size)
  })

  test('ends with the day in India that to_date names, and the next one begins with its closing balance', async () => {
    const { payer } = await paid()
    const now = Date.parse((await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })).now)
    const day = new Date(now + 5.5 * 3_600_000).toISOString().slice(0, 10)
    const yesterday = new Date(Date.parse(day) - 1).toISOString().slice(0, 10)
    const tomorrow = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    const before = await statementOf(payer, { to_date: yesterday })
    expect(before).toMatchObject({ lines: [], closing_balance: 0, until: `${yesterday}T18:30:00.000Z` })
    const today = await statementOf(payer, { from_date: day, to_date: day })
    expect(today).toMatchObject({ opening_balance: 0, closing_balance: 573, totals: { lines: 2 } })
    const after = await statementOf(payer, { from_date: tomorrow, to_date: tomorrow })
    expect(after).toMatchObject({ opening_balance: 573, closing_balance: 573, lines: [] })
  })

  test('refuses a period that ends before it begins, and a format that it does not have', async () => {
    const { payer } = await paid()
    const query = { from_date: '2026-02-01', to_date: '2026-01-31' }
    const { field } = await stage.api.refused(
      routes.getStatement,
      400,
      'validation_error',
      ofAgent(payer, query),
    )
    expect(field).toBe('to_date')
    await stage.api.refused(routes.getStatement, 400, 'validation_error', ofAgent(payer, { format: 'xlsx' }))
  })
})

describe('a statement of all agents', () => {
  test('has every line of every agent with the sum of their balances', async () => {
    const alone = await stage.network.owner(owner.platform)
    const one = await stage.network.fundedAgent(alone)
    const two = await stage.network.fundedAgent(alone)
    await stage.network.pay(one, two, 100)
    const headers = await stage.network.login(alone)
    const statement = await stage.api.ok(routes.getOwnerStatement, { headers })
    expect(statement).toMatchObject({ agent_id: null, opening_balance: 0, closing_balance: 1949 })
    expect(
      statement.lines.map(({ agent_id, change, running_balance }) => [agent_id, change, running_balance]),
    ).toEqual([
      [one.id, 975, 975],
      [two.id, 975, 1950],
      [one.id, -101, 1849],
      [two.id, 100, 1949],
    ])
    await stage.api.refused(routes.getOwnerStatement, 404, 'not_found', {
      headers,
      query: { owner_id: owner.id },
    })
  })
})

describe('a statement as CSV', () => {
  /** Names and words that a spreadsheet would run, or that break a row. */
  const HOSTILE = [
    '=HYPERLINK("http://x","y")',
    '+1+1',
    '-2+3',
    '@SUM(A1)',
    ' =1+1',
    '＝1+1',
    'a,b;"c"',
    'प्रिया शर्मा ₹',
    'مرحبا \u{1F600}',
  ]

  test('has the columns and lines of the JSON, and an apostrophe before what a spreadsheet would run', async () => {
    for (const hostile of HOSTILE) {
      const { payer } = await paid([hostile, hostile])
      const { headers, bytes } = await download(payer, 'csv')
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
      const [columns, ...rows] = parse(bytes, { bom: true })
      const { lines } = await statementOf(payer)
      expect(columns).toEqual(Object.keys(StatementLine.properties))
      expect(rows).toHaveLength(lines.length)
      for (const [index, row] of rows.entries()) {
        for (const cell of row.filter(cell => !/^-?\d+\.\d\d$/.test(cell)))
          expect(cell).not.toMatch(/^\s*[=+\-@＝]/)
        const shown = Object.fromEntries(row.map((cell, at) => [columns?.[at], cell]))
        expect(shown['running_balance']).toBe(lines[index]?.running_balance.toFixed(2))
        expect(shown['change']).toBe(lines[index]?.change.toFixed(2))
        expect(shown['agent_name']?.replace(/^'/, '')).toBe(hostile)
        expect(shown['note']).toBe(lines[index]?.note ?? '')
      }
    }
  })

  test('has a file name that no shell and no header can misread', async () => {
    const { payer } = await paid()
    const { headers } = await download(payer, 'csv', {
      from_date: '2026-01-01',
      to_date: '2099-12-31T23:59:59+05:30',
    })
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="statement_${payer.handle}_2026-01-01_2099-12-31T2359590530.csv"`,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('a statement as PDF', () => {
  test('has the balances as they are written in India, and names in Devanagari', async () => {
    const { payer } = await paid(['हिन्दी एजेंट', 'प्रिया'])
    const { headers, bytes } = await download(payer, 'pdf', { from_date: '2026-01-01' })
    expect(headers.get('content-type')).toBe('application/pdf')
    const [page = ''] = await textsOf(bytes)
    for (const text of [
      '₹975.00',
      '₹402.00',
      '₹573.00',
      '₹1,000.00 less fee ₹25.00',
      'invoice-7',
      'Page 1 of 1',
    ])
      expect(page).toContain(text)
  })

  test('repeats the head of its table and its page number on every page', async () => {
    const { payer, payee } = await paid()
    for (let count = 0; count < 40; count++) await stage.network.pay(payer, payee, 1)
    const pages = await textsOf((await download(payer, 'pdf')).bytes)
    expect(pages.length).toBeGreaterThan(1)
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
      expect(page).toContain('Particulars')
    }
    expect(pages.at(-1)).toContain('Closing balance')
  })

  test('can contain any name and any text', async () => {
    const names = [
      'a\u200D\u200Cb',
      'Z\u0334\u0321\u031b\u0353\u0345'.repeat(10),
      '漢字 \u{1F469}\u200D\u{1F4BB}',
      'क्\u200Dष ﷽',
    ]
    for (const name of names) {
      const { payer } = await paid([name, name])
      expect((await textsOf((await download(payer, 'pdf')).bytes))[0]).toContain('₹573.00')
    }
  })
})

describe('who may have a statement', () => {
  test('the agent, its platform and its owner get the same lines; everybody else is refused', async () => {
    const { payer, payee } = await paid()
    const session = await stage.network.login(owner)
    const { lines } = await statementOf(payer)
    for (const headers of [owner.platform.headers, session]) {
      expect((await stage.api.ok(routes.getStatement, { ...ofAgent(payer), headers })).lines).toEqual(lines)
    }
    const refused = { ...ofAgent(payer), headers: payee.headers }
    await stage.api.refused(routes.getStatement, 403, 'authorization_error', refused)
    await stage.api.refused(routes.getOwnerStatement, 401, 'authentication_error', { headers: payer.headers })
  })

  test('HEAD makes no statement', async () => {
    const { payer } = await paid()
    const { status } = await request(stage.api.address, 'HEAD', `/v1/agents/${payer.id}/statement`, payer)
    expect([404, 405]).toContain(status)
  })
})

describe('the client', () => {
  test('gives a statement as bytes, text or JSON, with its name and type', async () => {
    const { payer } = await paid()
    const client = createClient({ baseUrl: stage.api.address, agentKey: payer.key })
    const agent_id = payer.id
    const json = await client.getStatement({ agent_id })
    expect(json.type).toBe('application/json')
    expect((await json.json()).closing_balance).toBe(573)
    const csv = await client.getStatement({ agent_id, format: 'csv' })
    expect([csv.type, csv.fileName]).toEqual(['text/csv', `statement_${payer.handle}.csv`])
    expect((await csv.text()).split('\r\n')).toHaveLength(4)
    const pdf = await client.getStatement({ agent_id, format: 'pdf' })
    expect(Buffer.from(await pdf.bytes()).toString('latin1', 0, 5)).toBe('%PDF-')
    const refused = client.getStatement({ agent_id, to_date: '2026-01-01', from_date: '2026-02-01' })
    await expect(refused).rejects.toMatchObject({ code: 'validation_error', field: 'to_date' })
  })
})
