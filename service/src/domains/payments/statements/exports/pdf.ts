import { once } from 'node:events'
import type { StatementLine, StatementTotals } from '@batua/contract'
import type { StatementHead } from './json.ts'
import { lineDetails, lineTitle } from './line-words.ts'
import { amountText, dayText, fitted, openDocument, printable, timeOfDayText } from './pdf-text.ts'

/** Everything that a statement on paper says. */
export interface PaperStatement extends StatementHead {
  /** Whose statement it is: the agent’s name, or that it is of all agents. */
  readonly title: string
  readonly subtitle: string
  readonly lines: readonly StatementLine[]
  readonly totals: StatementTotals
  readonly checkpoint: string | null
  /** The agent of a line is shown where the statement has several. */
  readonly showsAgents: boolean
}

type Document = PDFKit.PDFDocument

const PAGE = { left: 40, right: 555.28, top: 40, bottom: 790, footer: 806 } as const
const WIDTH = PAGE.right - PAGE.left
const INK = '#1b1f24'
const MUTED = '#5b6470'
const RULE = '#d5dae1'
const WASH = '#f3f5f8'
const ACCENT = '#0b5c4b'
const SIZE = { brand: 20, title: 15, figure: 11.5, text: 8.5, small: 7.2 } as const

interface Column {
  readonly name: string
  readonly x: number
  readonly width: number
  readonly align: 'left' | 'right'
}

const COLUMNS = {
  date: { name: 'Date (IST)', x: PAGE.left + 6, width: 62, align: 'left' },
  what: { name: 'Particulars', x: PAGE.left + 74, width: 196, align: 'left' },
  debit: { name: 'Debit', x: PAGE.left + 276, width: 74, align: 'right' },
  credit: { name: 'Credit', x: PAGE.left + 354, width: 74, align: 'right' },
  balance: { name: 'Balance', x: PAGE.left + 432, width: WIDTH - 438, align: 'right' },
} as const satisfies Record<string, Column>

/** A statement as an A4 document. The caller bounds the number of lines, and calls this in a thread of its own. */
export async function pdfOf(statement: PaperStatement): Promise<Buffer> {
  const document = openDocument({
    title: `Statement of ${statement.title}, ${periodText(statement)}`,
    author: 'Batua',
    createdAt: new Date(statement.created_at),
  })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(document, 'end')
  let y = drawHead(document, statement)
  y = drawSummary(document, statement, y)
  y = drawTableHead(document, y)
  y = drawBalanceRow(document, y, 'Opening balance', statement.opening_balance)
  for (const line of statement.lines) y = drawLine(document, statement, line, y)
  y = drawBalanceRow(
    document,
    onPage(document, statement, y, 40),
    'Closing balance',
    statement.closing_balance,
  )
  drawEnd(document, statement, onPage(document, statement, y, 92) + 14)
  drawFooters(document, statement)
  document.end()
  await ended
  return Buffer.concat(chunks)
}

function write(
  document: Document,
  text: string,
  { x, width, align }: Pick<Column, 'x' | 'width' | 'align'>,
  y: number,
): void {
  const shown = fitted(document, text, width)
  const start = align === 'left' ? x : x + width - document.widthOfString(shown)
  document.text(shown, start, y, { lineBreak: false })
}

function style(document: Document, size: keyof typeof SIZE, color: string, font = 'regular'): Document {
  return document.font(font).fontSize(SIZE[size]).fillColor(color)
}

/** The position for what needs this much height: on this page, or below the head of a new one. */
function onPage(document: Document, statement: PaperStatement, y: number, height: number): number {
  if (y + height <= PAGE.bottom) return y
  document.addPage()
  style(document, 'small', MUTED)
  const text = printable(document, `${statement.title}  ·  ${periodText(statement)}`)
  write(document, text, { x: PAGE.left, width: WIDTH, align: 'left' }, PAGE.top)
  return drawTableHead(document, PAGE.top + 16)
}

function drawHead(document: Document, statement: PaperStatement): number {
  document.addPage()
  document.rect(0, 0, 595.28, 6).fill(ACCENT)
  style(document, 'brand', ACCENT, 'strong')
  write(document, 'Batua', { x: PAGE.left, width: 200, align: 'left' }, PAGE.top)
  style(document, 'title', INK, 'strong')
  write(document, 'Wallet statement', { x: PAGE.right - 250, width: 250, align: 'right' }, PAGE.top + 4)
  style(document, 'text', MUTED)
  write(document, periodText(statement), { x: PAGE.right - 250, width: 250, align: 'right' }, PAGE.top + 26)
  style(document, 'title', INK, 'strong')
  const whole = { x: PAGE.left, width: WIDTH, align: 'left' } as const
  write(document, printable(document, statement.title), whole, PAGE.top + 56)
  style(document, 'text', MUTED)
  write(document, printable(document, statement.subtitle), whole, PAGE.top + 78)
  const created = new Date(statement.created_at)
  const made = `Made on ${dayText(created)}, ${timeOfDayText(created)} IST. Amounts are in Indian rupees (INR).`
  write(document, made, whole, PAGE.top + 92)
  return PAGE.top + 118
}

function drawSummary(document: Document, statement: PaperStatement, y: number): number {
  const { totals } = statement
  const figures = [
    ['Opening balance', statement.opening_balance],
    ['Total credited', totals.credited],
    ['Total debited', totals.debited],
    ['Closing balance', statement.closing_balance],
  ] as const
  const height = 46
  document.roundedRect(PAGE.left, y, WIDTH, height, 5).fill(WASH)
  const width = WIDTH / figures.length
  for (const [index, [name, rupees]] of figures.entries()) {
    const box = { x: PAGE.left + index * width + 12, width: width - 20, align: 'left' } as const
    write(style(document, 'small', MUTED), name, box, y + 9)
    write(style(document, 'figure', INK, 'strong'), amountText(rupees), box, y + 21)
  }
  return y + height + 18
}

function drawTableHead(document: Document, y: number): number {
  const height = 20
  document.rect(PAGE.left, y, WIDTH, height).fill(ACCENT)
  style(document, 'text', '#ffffff', 'strong')
  for (const column of Object.values(COLUMNS)) write(document, column.name, column, y + 4.5)
  return y + height
}

function drawBalanceRow(document: Document, y: number, name: string, rupees: number): number {
  const height = 20
  document.rect(PAGE.left, y, WIDTH, height).fill(WASH)
  style(document, 'text', INK, 'strong')
  write(document, name, COLUMNS.what, y + 4.5)
  write(document, amountText(rupees), COLUMNS.balance, y + 4.5)
  return y + height
}

const LINE_HEIGHT = 12
const DETAIL_HEIGHT = 10

function drawLine(document: Document, statement: PaperStatement, line: StatementLine, from: number): number {
  const details = detailsOf(document, statement, line)
  const height = 8 + LINE_HEIGHT + DETAIL_HEIGHT * Math.max(1, details.length)
  const top = onPage(document, statement, from, height)
  const y = top + 4
  const moment = new Date(line.posted_at)
  style(document, 'text', INK)
  write(document, dayText(moment), COLUMNS.date, y)
  write(document, printable(document, lineTitle(line)), COLUMNS.what, y)
  const moved = line.change < 0 ? COLUMNS.debit : COLUMNS.credit
  write(document, amountText(Math.abs(line.change)), moved, y)
  write(document, amountText(line.running_balance), COLUMNS.balance, y)
  style(document, 'small', MUTED)
  write(document, timeOfDayText(moment), COLUMNS.date, y + LINE_HEIGHT)
  for (const [index, detail] of details.entries()) {
    write(document, detail, COLUMNS.what, y + LINE_HEIGHT + index * DETAIL_HEIGHT)
  }
  const bottom = top + height
  document.moveTo(PAGE.left, bottom).lineTo(PAGE.right, bottom).lineWidth(0.5).stroke(RULE)
  return bottom
}

/** At most three lines: the words of the payer, whose money it was, and the id. */
function detailsOf(document: Document, { showsAgents }: PaperStatement, line: StatementLine): string[] {
  const words = lineDetails(line)
    .map(text => printable(document, text))
    .filter(text => text !== '')
  const agent = showsAgents ? [printable(document, `Wallet of ${line.agent_name}`)] : []
  return [...(words.length === 0 ? [] : [words.join('  ·  ')]), ...agent, line.id]
}

function drawEnd(document: Document, { totals, checkpoint }: PaperStatement, from: number): void {
  const whole = { x: PAGE.left, width: WIDTH, align: 'left' } as const
  const lines = totals.lines.toLocaleString('en-IN')
  const sums = `${lines} ${totals.lines === 1 ? 'line' : 'lines'}. Fees in them: ${amountText(totals.fees)}.`
  write(style(document, 'text', INK), sums, whole, from)
  style(document, 'small', MUTED)
  const [origin = '', size = '', root = '', , signature = ''] = checkpoint?.split('\n') ?? []
  const proof =
    checkpoint === null
      ? ['The audit log could not be extended when this statement was made.']
      : [
          'Every line is in the audit log under this signed checkpoint, and can be verified with the published keys:',
          `${origin}  ·  ${size} entries  ·  root ${root}`,
          signature,
        ]
  for (const [index, text] of proof.entries()) write(document, text, whole, from + 18 + index * 11)
  write(document, 'This statement was made by a computer and needs no signature.', whole, from + 58)
}

function drawFooters(document: Document, statement: PaperStatement): void {
  const { start, count } = document.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    document.switchToPage(start + page)
    document
      .moveTo(PAGE.left, PAGE.footer - 6)
      .lineTo(PAGE.right, PAGE.footer - 6)
      .lineWidth(0.5)
      .stroke(RULE)
    style(document, 'small', MUTED)
    const left = { x: PAGE.left, width: WIDTH - 90, align: 'left' } as const
    write(document, printable(document, statement.subtitle), left, PAGE.footer)
    const right = { x: PAGE.right - 80, width: 80, align: 'right' } as const
    write(document, `Page ${page + 1} of ${count}`, right, PAGE.footer)
  }
}

/** The days of a period, both included; with times where it begins or ends within a day. */
export function periodText({ from, until, created_at }: StatementHead): string {
  const first = from === null ? 'the beginning' : endText(new Date(from), 0)
  const last = until === null ? endText(new Date(created_at), 0) : endText(new Date(until), 1)
  return `${first} to ${last}`
}

function endText(moment: Date, beforeMs: number): string {
  const isMidnight = timeOfDayText(moment) === '00:00:00' && moment.getUTCMilliseconds() === 0
  const shown = new Date(moment.getTime() - beforeMs)
  return isMidnight ? dayText(shown) : `${dayText(shown)} ${timeOfDayText(shown)}`
}
