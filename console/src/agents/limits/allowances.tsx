import type { Agent, NamedAllowance } from '@batua/sdk'
import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { SectionTitle } from '../../components/section-title.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { PayeeField } from '../payees/payee-field.tsx'
import { useAllowanceForm } from './allowance-fields.tsx'
import { allowanceTexts } from './allowance-texts.ts'

interface AllowancesProps {
  readonly agent: Agent
  readonly allowances: readonly NamedAllowance[]
}

/** The payees that an agent may pay without asking its owner, and one more. */
export function Allowances({ agent, allowances }: AllowancesProps) {
  const t = useTexts(allowanceTexts)
  const [isAsked, ask] = useState(false)
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
        <Button variant="default" onClick={() => ask(true)}>
          {t.allow}
        </Button>
      </Group>
      {allowances.length === 0 ? <Text>{t.none}</Text> : <AllowanceList allowances={allowances} />}
      {isAsked && <GiveAllowance agent={agent} onClose={() => ask(false)} />}
    </Card>
  )
}

interface AllowanceListProps {
  readonly allowances: readonly NamedAllowance[]
  /** Names the agent of each, where there are several. */
  readonly withAgent?: boolean
}

/** Allowances that hold, each to be ended. */
export function AllowanceList({ allowances, withAgent = false }: AllowanceListProps) {
  const t = useTexts(allowanceTexts)
  return (
    <ul className={classes.limits} aria-label={t.titleAll}>
      {allowances.map(allowance => (
        <li key={allowance.allowance_id} className={classes.limit}>
          <OneAllowance allowance={allowance} withAgent={withAgent} />
        </li>
      ))}
    </ul>
  )
}

interface OneAllowanceProps {
  readonly allowance: NamedAllowance
  readonly withAgent: boolean
}

function OneAllowance({ allowance, withAgent }: OneAllowanceProps) {
  const { allowance_id, agent_id, agent_name, to_name, to_handle, amount, used, until } = allowance
  const t = useTexts(allowanceTexts)
  const format = useFormat()
  return (
    <>
      <div>
        <Text fw={600}>
          {withAgent && (
            <>
              <Link to="/agents/$agentId" params={{ agentId: agent_id }} search={{}}>
                {agent_name}
              </Link>
              {' → '}
            </>
          )}
          {to_name}{' '}
          <Text span c="dimmed">
            @{to_handle}
          </Text>
        </Text>
        <Text size="sm" c="dimmed">
          {t.left(format.amount(amount - used), format.amount(amount))} · {t.ends} <Moment at={until} />
        </Text>
      </div>
      <ConfirmButton
        operation="endAllowance"
        input={{ allowance_id }}
        act={t.end}
        title={t.endOne(to_name)}
        done={() => t.isEnded}
      >
        {t.endHint(agent_name, to_name)}
      </ConfirmButton>
    </>
  )
}

function GiveAllowance({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const t = useTexts(allowanceTexts)
  const format = useFormat()
  const [written, write] = useState('')
  const [isChecked, check] = useState(false)
  const { allow, fields } = useAllowanceForm(isChecked)
  const to = written.trim()
  const give = useAct('createAllowance', {
    onDone() {
      onClose()
      sayDone(t.isAllowed)
    },
  })
  return (
    <Confirm
      opened
      title={t.allowTitle(agent.name)}
      act={t.act(allow === null ? '' : format.amount(allow.amount))}
      acting={give.isPending}
      error={give.error}
      onAct={() => {
        check(true)
        if (allow !== null && to !== '') give.mutate({ agent_id: agent.agent_id, to, ...allow })
      }}
      onClose={onClose}
    >
      <Text>{t.hint}</Text>
      <PayeeField
        agentId={agent.agent_id}
        written={written}
        onWrite={write}
        error={isChecked && to === '' && t.payeeMissing}
      />
      {fields}
    </Confirm>
  )
}
