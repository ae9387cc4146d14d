import {
  MAX_PDF_LINES,
  STATEMENT_FORMATS,
  type StatementFormat,
  type StatementLine,
  type StatementTotals,
} from '@batua/contract'
import type { Span } from '../../../../http/date-span.ts'
import type { Streamed } from '../../../../http/streamed.ts'
import { AppError } from '../../../../kernel/app-error.ts'
import type { Uuid } from '../../../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../../../kernel/money.ts'
import type { CoveringCheckpoint } from '../../../audit/index.ts'
import { selectNames } from '../statement-store.ts'
import { csvHead, csvLines } from './csv.ts'
import { jsonEnd, jsonHead, jsonLines, type StatementHead } from './json.ts'
import type { MovementsContext } from './movement-store.ts'
import { openPeriod, type Period, type StatementMovement } from './period.ts'
import { print } from './print.ts'
import { agentsOf, statementLine } from './statement-line.ts'

export interface ExportContext extends MovementsContext {
  readonly coveringCheckpoint: CoveringCheckpoint
}

/** Whose statement is made, of which period. */
export interface StatementRequest {
  readonly wallets: readonly Uuid[]
  /** The id of the agent; null: it is of all agents of an owner. */
  readonly agentId: string | null
  readonly title: string
  readonly subtitle: string
  readonly span: Span
  readonly format: StatementFormat
  readonly now: Date
}

export type StatementType = (typeof STATEMENT_FORMATS)[StatementFormat]

/** What a format makes of a period. */
type Chunks = AsyncGenerator<string | Buffer>

/** Reads both ends of the period, then makes the response from the movements between them, some at a time. */
export async function exportStatement(context: ExportContext, request: StatementRequest): Promise<Chunks> {
  const { wallets, span, format, now } = request
  const period = await openPeriod(context, wallets, span, now)
  if (format === 'pdf' && period.lines > MAX_PDF_LINES) throw tooLongForPaper(period.lines)
  const head: StatementHead = {
    agent_id: request.agentId,
    currency: 'INR',
    from: span.from?.toISOString() ?? null,
    until: span.until?.toISOString() ?? null,
    created_at: now.toISOString(),
    opening_balance: rupees(period.openingPaise),
    closing_balance: rupees(period.closingPaise),
  }
  switch (format) {
    case 'csv':
      return asCsv(context, period)
    case 'json':
      return asJson(context, period, head)
    case 'pdf':
      return asPdf(context, period, head, request)
  }
}

export function mediaTypeOf(format: StatementFormat): Streamed<StatementType>['type'] {
  return STATEMENT_FORMATS[format]
}

async function* asCsv(context: ExportContext, period: Period): Chunks {
  yield csvHead()
  for await (const { lines } of inLines(context, period)) yield csvLines(lines)
}

async function* asJson(context: ExportContext, period: Period, head: StatementHead): Chunks {
  yield jsonHead(head)
  const totals = openTotals()
  let isFirst = true
  for await (const { lines, movements } of inLines(context, period)) {
    totals.add(movements)
    yield jsonLines(lines, isFirst)
    isFirst = false
  }
  yield jsonEnd(totals.sum(), await context.coveringCheckpoint())
}

async function* asPdf(
  context: ExportContext,
  period: Period,
  head: StatementHead,
  { title, subtitle, agentId }: StatementRequest,
): Chunks {
  const totals = openTotals()
  const all: StatementLine[] = []
  for await (const { lines, movements } of inLines(context, period)) {
    totals.add(movements)
    all.push(...lines)
  }
  const checkpoint = await context.coveringCheckpoint()
  const sum = totals.sum()
  const showsAgents = agentId === null
  yield await print({ ...head, title, subtitle, lines: all, totals: sum, checkpoint, showsAgents })
}

function tooLongForPaper(lines: number): AppError {
  const message = `This statement has ${lines} lines, and a PDF holds at most ${MAX_PDF_LINES}. Ask for a shorter period, or for format=csv`
  return new AppError('validation_error', message, {
    field: 'format',
    details: { lines, max_lines: MAX_PDF_LINES },
  })
}

interface Lines {
  readonly movements: readonly StatementMovement[]
  readonly lines: readonly StatementLine[]
}

async function* inLines({ database }: ExportContext, period: Period): AsyncGenerator<Lines> {
  for await (const movements of period.slices()) {
    const names = await selectNames(database, [...new Set(movements.flatMap(agentsOf))])
    yield { movements, lines: movements.map(movement => statementLine(movement, names)) }
  }
}

/** Sums in paise, because a million numbers in rupees would not add up. */
function openTotals() {
  let lines = 0
  let credited = ZERO_PAISE
  let debited = ZERO_PAISE
  let fees = ZERO_PAISE
  return {
    add(movements: readonly StatementMovement[]): void {
      lines += movements.length
      for (const { changePaise, side, kind, feePaise } of movements) {
        if (changePaise > 0n) credited = (credited + changePaise) as Paise
        else debited = (debited - changePaise) as Paise
        // The payer bears a fee, and of a funding the wallet.
        if (side === 'debit' || kind === 'fund') fees = (fees + feePaise) as Paise
      }
    },
    sum: (): StatementTotals => ({
      lines,
      credited: rupees(credited),
      debited: rupees(debited),
      fees: rupees(fees),
    }),
  }
}
