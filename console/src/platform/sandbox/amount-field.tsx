import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { rupeesIn } from '../../agents/rupees.ts'
import { useTexts } from '../../language/language.tsx'
import { scenarioTexts } from './scenario-texts.ts'
import { sandboxTexts } from './texts.ts'

/** An amount, and the special ones with what each does. `read` says what is wrong and is null then. */
export function useAmountField<Special extends string>(
  first: string,
  specials: readonly Special[],
  meaning: Readonly<Record<Special, string>>,
) {
  const t = useTexts(sandboxTexts)
  const { special, ordinary } = useTexts(scenarioTexts)
  const [written, write] = useState(first)
  const [isWrong, setWrong] = useState(false)
  const chosen = specials.find(each => each === written.trim())
  return {
    read(): number | null {
      const amount = rupeesIn(written) ?? 0
      setWrong(amount < 1)
      return amount < 1 ? null : amount
    },
    fields: (
      <>
        <TextInput
          label={t.amount}
          leftSection={<Text c="dimmed">₹</Text>}
          inputMode="decimal"
          autoComplete="off"
          value={written}
          onChange={event => write(event.currentTarget.value)}
          error={isWrong && t.amountWrong}
        />
        <NativeSelect
          size="md"
          label={special}
          value={chosen ?? ''}
          data={[
            { value: '', label: ordinary },
            ...specials.map(each => ({ value: each as string, label: `₹${each}: ${meaning[each]}` })),
          ]}
          onChange={event => write(event.currentTarget.value === '' ? first : event.currentTarget.value)}
        />
      </>
    ),
  }
}
