import { Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { agentTexts } from '../agent-texts.ts'
import { rupeesIn } from '../rupees.ts'

interface AskAmountProps {
  readonly opened: boolean
  readonly title: string
  /** What will happen with the amount. */
  readonly hint: string
  readonly first?: number
  /** The act in words, with the amount: `Withdraw ₹400.00`. */
  readonly act: (rupees: string) => string
  readonly acting: boolean
  readonly error: Error | null
  readonly onAmount: (amount: number) => void
  readonly onClose: () => void
  /** What else is asked, below the amount. */
  readonly children?: ReactNode
}

/** Asks for an amount in INR, and names it on the button that acts. */
export function AskAmount(props: AskAmountProps) {
  const { opened, title, hint, first, act, acting, error, onAmount, onClose, children } = props
  const t = useTexts(agentTexts)
  const format = useFormat()
  const [written, write] = useState(first === undefined ? '' : String(first))
  const [isWrong, setWrong] = useState(false)
  const amount = rupeesIn(written) ?? 0
  return (
    <Confirm
      opened={opened}
      title={title}
      act={act(amount > 0 ? format.amount(amount) : '')}
      acting={acting}
      error={error}
      onAct={() => {
        setWrong(amount <= 0)
        if (amount > 0) onAmount(amount)
      }}
      onClose={onClose}
    >
      <Text>{hint}</Text>
      <TextInput
        label={t.amount}
        leftSection={<Text c="dimmed">₹</Text>}
        inputMode="decimal"
        autoComplete="off"
        name="amount"
        value={written}
        onChange={event => write(event.currentTarget.value)}
        error={isWrong && t.amountWrong}
      />
      {children}
    </Confirm>
  )
}
