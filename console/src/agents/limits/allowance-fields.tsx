import { Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { InputOf } from '../../api/api.tsx'
import { Choice } from '../../components/choice.tsx'
import { useNow } from '../../components/use-now.ts'
import { useTexts } from '../../language/language.tsx'
import { agentTexts } from '../agent-texts.ts'
import { rupeesIn } from '../rupees.ts'
import { allowanceTexts } from './allowance-texts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const IST_MS = 5.5 * 3_600_000

type Period = 'tonight' | 'week' | 'month'

/** How much is allowed, and until when. */
type Allow = Pick<InputOf<'createAllowance'>, 'amount' | 'until'>

export interface AllowanceForm {
  /** null: what was written is no amount. */
  readonly allow: Allow | null
  readonly fields: ReactNode
}

/** The two fields of an allowance. `isChecked`: whether a wrong amount is said. */
export function useAllowanceForm(isChecked: boolean): AllowanceForm {
  const t = useTexts(allowanceTexts)
  const { amountWrong } = useTexts(agentTexts)
  // By the minute, so that two clicks ask for the same.
  const nowMs = Math.floor(useNow(MINUTE_MS).getTime() / MINUTE_MS) * MINUTE_MS
  const [written, write] = useState('')
  const [period, choose] = useState<Period>('tonight')
  const amount = rupeesIn(written) ?? 0
  return {
    allow: amount > 0 ? { amount, until: endOf(period, nowMs) } : null,
    fields: (
      <Stack gap="sm">
        <TextInput
          label={t.amount}
          leftSection={<Text c="dimmed">₹</Text>}
          inputMode="decimal"
          autoComplete="off"
          name="amount"
          value={written}
          onChange={event => write(event.currentTarget.value)}
          error={isChecked && amount <= 0 && amountWrong}
        />
        <Choice
          isField
          label={t.until}
          value={period}
          options={{ tonight: t.tonight, week: t.week, month: t.month }}
          onChange={choose}
        />
      </Stack>
    ),
  }
}

/** Midnight in India, or so many days from now; a little less than the longest time. */
function endOf(period: Period, nowMs: number): string {
  const midnightMs = (Math.floor((nowMs + IST_MS) / DAY_MS) + 1) * DAY_MS - IST_MS
  const ends = { tonight: midnightMs, week: nowMs + 7 * DAY_MS, month: nowMs + 30 * DAY_MS - 10 * MINUTE_MS }
  return new Date(ends[period]).toISOString()
}
