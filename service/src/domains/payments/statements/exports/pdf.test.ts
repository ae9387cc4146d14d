import { type Statement, StatementLine } from '@batua/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PaperStatement, pdfOf, periodText } from './pdf.ts'
import { amountText, fitted, openDocument, printable } from './pdf-text.ts'

const [example] = (StatementLine as unknown as { readonly examples: readonly StatementLine[] }).examples

function lineWith(text: string): StatementLine {
  if (example === undefined) throw new Error('the contract has an example')
  return { ...example, agent_name: text, counterparty_name: text, reference: text, note: text }
}

const HEAD: Omit<Statement, 'lines' | 'totals' | 'checkpoint'> = {
  agent_id: null,
  currency: 'INR',
  from: '2026-10-31T18:30:00.000Z',
  until: '2026-11-30T18:30:00.000Z',
  created_at: '2026-12-01T04:00:00.000Z',
  opening_balance: 975,
  closing_balance: 573,
}

function paper(text: string): PaperStatement {
  const totals = { lines: 1, credited: 0, debited: 402, fees: 2 }
  const whose = { title: text, subtitle: text, showsAgents: true, checkpoint: text }
  return { ...HEAD, ...whose, lines: [lineWith(text)], totals }
}

const document = openDocument({ title: '', author: '', createdAt: new Date(0) }).fontSize(8)

/** Text of every script, with what joins, turns or piles up letters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        'क',
        '्',
        'ष',
        'ि',
        'र्',
        '\u200D',
        '\u200C',
        '\u0300',
        '\u202E',
        '﷽',
        '\u{1F469}',
        '\uFFFE',
        '₹',
        '\n',
      ),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join('').toWellFormed())

test('a document is made of any text', async () => {
  const property = fc.asyncProperty(
    anyText,
    fc.array(anyText, { minLength: 5, maxLength: 5 }),
    async (text, others) => {
      const statement = paper(text)
      const bytes = await pdfOf({ ...statement, lines: [...statement.lines, ...others.map(lineWith)] })
      expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-')
      expect(bytes.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true)
    },
  )
  await fc.assert(property, { numRuns: 10 })
}, 120_000)

test('a text on paper has no character that cannot be seen, and fits its column', () => {
  const property = fc.property(anyText, text => {
    const shown = printable(document, text)
    expect(shown).not.toMatch(/[\p{Cc}\p{Cn}\u202A-\u202E\u2066-\u2069]|\p{M}{5}/u)
    expect(document.widthOfString(fitted(document, shown, 100))).toBeLessThanOrEqual(100)
  })
  fc.assert(property, { numRuns: 500 })
})

test('what the fonts cannot show is seen to be there', () => {
  expect(printable(document, 'प्रिया ₹ Ж 漢字 \u{1F600}')).toBe('प्रिया ₹ Ж \u{FFFD}\u{FFFD} \u{FFFD}')
  expect(printable(document, 'two\nlines\u202E\u0000')).toBe('two lines')
  expect(printable(document, 'क्\u200Dष a\u200Db')).toBe('क्\u200Dष ab')
})

test('a text that is cut ends in … and is cut between letters', () => {
  const cut = fitted(document, 'क्षितिज त्रिपाठी '.repeat(20), 60)
  expect(cut.endsWith('…')).toBe(true)
  expect(cut).not.toMatch(/्…$/)
})

test('amounts are written as in India', () => {
  expect([100_000, 12_345_678.9, -402, 0].map(amountText)).toEqual([
    '₹1,00,000.00',
    '₹1,23,45,678.90',
    '−₹402.00',
    '₹0.00',
  ])
})

test('a period of whole days is written as days, both of them in it', () => {
  expect(periodText(HEAD)).toBe('1 Nov 2026 to 30 Nov 2026')
  expect(periodText({ ...HEAD, from: null, until: null })).toBe('the beginning to 1 Dec 2026 09:30:00')
  expect(periodText({ ...HEAD, until: '2026-11-20T10:15:30.001Z' })).toBe(
    '1 Nov 2026 to 20 Nov 2026 15:45:30',
  )
})
