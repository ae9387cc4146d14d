import { Text, TextInput } from '@mantine/core'
import { rupeesIn } from '../../agents/rupees.ts'
import { useTexts } from '../../language/language.tsx'
import { organizationsTexts } from './texts.ts'

/** The budget in a text; null: no budget, undefined: the text is no amount. */
export function budgetIn(written: string): number | null | undefined {
  return written.trim() === '' ? null : (rupeesIn(written) ?? undefined)
}

interface BudgetFieldProps {
  readonly written: string
  readonly onWrite: (written: string) => void
  /** Whether a wrong amount is said. */
  readonly isChecked: boolean
}

export function BudgetField({ written, onWrite, isChecked }: BudgetFieldProps) {
  const t = useTexts(organizationsTexts)
  return (
    <TextInput
      label={t.budgetField}
      description={t.budgetHint}
      leftSection={<Text c="dimmed">₹</Text>}
      inputMode="decimal"
      autoComplete="off"
      name="budget"
      placeholder={t.none}
      value={written}
      onChange={event => onWrite(event.currentTarget.value)}
      error={isChecked && budgetIn(written) === undefined && t.budgetWrong}
    />
  )
}
