import type { Agent, Balance } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { agentTexts } from '../agent-texts.ts'
import { AskAmount } from './ask-amount.tsx'
import { Fund } from './fund.tsx'

/** The balance of an agent, and the ways in and out. */
export function Money({ agent, balance }: { readonly agent: Agent; readonly balance: Balance }) {
  const t = useTexts(agentTexts)
  const { available, total_funded, total_spent } = balance
  return (
    <Card label={t.balance}>
      <div className={classes.money}>
        <Stack gap={0}>
          <Text c="dimmed">{t.balance}</Text>
          <span className={classes.balance}>
            <Amount rupees={available} />
          </span>
          <Text size="sm" c="dimmed">
            {t.funded}: <Amount rupees={total_funded} /> · {t.spent}: <Amount rupees={total_spent} />
          </Text>
        </Stack>
        {/* Nothing moves in or out of a frozen wallet. */}
        {agent.status !== 'frozen' && (
          <Group gap="sm">
            <Fund agent={agent} />
            <Withdraw agent={agent} available={available} />
          </Group>
        )}
      </div>
    </Card>
  )
}

interface WithdrawProps {
  readonly agent: Pick<Agent, 'agent_id' | 'name'>
  readonly available: number
  /** In a list, where it is one act of many. */
  readonly isListed?: boolean
}

export function Withdraw({ agent: { agent_id, name }, available, isListed = false }: WithdrawProps) {
  const t = useTexts(agentTexts)
  const format = useFormat()
  const [isAsked, ask] = useState(false)
  const withdraw = useAct('withdraw', {
    onDone({ amount }) {
      ask(false)
      sayDone(t.isWithdrawn(format.amount(amount)))
    },
  })
  if (available <= 0) return null
  return (
    <>
      <Button
        size={isListed ? 'sm' : 'md'}
        variant="default"
        aria-label={t.withdrawFrom(name)}
        onClick={() => ask(true)}
      >
        {t.withdraw}
      </Button>
      {isAsked && (
        <AskAmount
          opened
          title={t.withdrawFrom(name)}
          hint={t.withdrawHint}
          first={available}
          act={t.withdrawAmount}
          acting={withdraw.isPending}
          error={withdraw.error}
          onAmount={amount => withdraw.mutate({ agent_id, amount })}
          onClose={() => ask(false)}
        />
      )}
    </>
  )
}
